// Model::diagnose: the checks in their order.
#include "../../ops/numpy/joining.h"
#include "checks.h"

namespace cornu {
namespace {

using diagnose::Evidence;
using diagnose::Findings;

// Faults that others follow from: what training does tells nothing new then.
bool spoiled(const Findings& findings) {
  return findings.any({"inputs_nan", "inputs_constant", "inputs_unscaled", "half_overflow",
                       "labels_constant", "target_shape", "target_range",
                       "target_one_hot_with_sparse", "target_sparse_with_categorical",
                       "logits_flag", "double_softmax", "loss_output_mismatch",
                       "loss_weights_dominate", "frozen_normalization", "forgotten_trainable",
                       "batch_norm_of_one", "dead_units", "unused_input"});
}

void check_all(const Evidence& evidence, Findings& findings) {
  check_inputs(evidence, findings);
  check_split(evidence, findings);
  check_target_leak(evidence, findings);
  if (!findings.any({"inputs_nan"})) {
    check_labels(evidence, findings);
    check_targets(evidence, findings);
    check_losses(evidence, findings);
    check_target_scale(evidence, findings);
    check_metrics(evidence, findings);
    check_architecture(evidence, findings);
    check_use(evidence, findings);
    if (!findings.any({"inputs_constant", "labels_constant"})) check_alignment(evidence, findings);
  }
  if (spoiled(findings)) return;
  check_statistics(evidence, findings);
  check_gradients(evidence, findings);
  if (!findings.any({"no_gradient", "gradient_vanishes", "gradient_explodes"}))
    check_training(evidence, findings);
}

// Batches from all over a dataset, the first and the last among them, as one.
Batch some_batches(Dataset& data, int64_t most) {
  std::vector<Batch> batches;
  if (data.size() > 0) {
    const int64_t count = std::min(most, data.size());
    for (int64_t i = 0; i < count; ++i)
      batches.push_back(data.batch(count == 1 ? 0 : i * (data.size() - 1) / (count - 1)));
  } else {
    // Of those whose end is not known, the first ones.
    for (int64_t i = 0; i < most; ++i) {
      std::optional<Batch> batch = data.next(i);
      if (!batch) break;
      batches.push_back(std::move(*batch));
    }
  }
  if (batches.empty()) throw ValueError("diagnose: the dataset is empty.");
  const auto joined = [&](auto part) {
    const Nest& first = part(batches[0]);
    if (first.empty()) return first;
    std::vector<std::vector<Tensor>> columns;
    for (const Batch& batch : batches) {
      const std::vector<Tensor> tensors = part(batch).flatten();
      columns.resize(tensors.size());
      for (size_t i = 0; i < tensors.size(); ++i) columns[i].push_back(tensors[i]);
    }
    std::vector<Tensor> whole;
    for (const auto& column : columns) whole.push_back(ops::concatenate(column, 0));
    return first.pack(whole);
  };
  return {joined([](const Batch& b) -> const Nest& { return b.x; }),
          joined([](const Batch& b) -> const Nest& { return b.y; }),
          joined([](const Batch& b) -> const Nest& { return b.sample_weight; })};
}

}  // namespace

std::vector<Finding> Model::diagnose(const Nest& x, const Nest& y, const DiagnoseOptions& options) {
  const detail::ModelUse::Change change(use_, "diagnose", *this);
  if (options.batch_size < 1) throw ValueError("diagnose: batch_size must be at least 1.");
  Findings findings(options.silence);
  const Evidence evidence(*this, x, y, options);
  check_all(evidence, findings);
  return findings.reported();
}

std::vector<Finding> Model::diagnose(AnyDataset dataset, const DiagnoseOptions& options) {
  const detail::ModelUse::Change change(use_, "diagnose", *this);
  if (!dataset || dataset->size() == 0) throw ValueError("diagnose: the dataset is empty.");
  Findings findings(options.silence);
  dataset->on_epoch_begin(0);
  const Batch batch = some_batches(*dataset, 16);
  DiagnoseOptions own = options;
  own.batch_size = count_samples(dataset->batch(0).x);
  own.shuffle = false;  // the order is the dataset's
  if (own.sample_weight.empty()) own.sample_weight = batch.sample_weight;
  Evidence evidence(*this, batch.x, batch.y, own);
  if (dataset->size() > 0) evidence.epoch_batches = dataset->size();
  check_all(evidence, findings);
  if (!spoiled(findings)) check_data_speed(*dataset, evidence, findings);
  dataset->on_epoch_end(0);
  return findings.reported();
}

}  // namespace cornu
