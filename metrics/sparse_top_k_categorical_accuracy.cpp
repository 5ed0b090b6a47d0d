// What SparseTopKCategoricalAccuracy averages.
#include "sparse_top_k_categorical_accuracy.h"

#include "../framework/ops/numpy/joining.h"
#include "../framework/ops/numpy/manipulation.h"

namespace cornu::metrics {

SparseTopKCategoricalAccuracyMetric::SparseTopKCategoricalAccuracyMetric(
    SparseTopKCategoricalAccuracyConfig c)
    : MetricOf(std::move(c)) {}

Tensor SparseTopKCategoricalAccuracyMetric::values(const Tensor& targets, const Tensor& y_pred) {
  // A last axis of size 1 stands for none.
  const bool column = targets.rank() == y_pred.rank() && targets.shape(-1) == 1;
  const Tensor y_true = column ? ops::squeeze(targets, -1) : targets;
  if (!config.from_sorted_ids) return in_top_k(y_true, y_pred, config.k);
  static const backend::ProgramRef equal = backend::program_of(backend::Opcode::equal);
  Tensor first = y_pred;
  if (y_pred.shape(-1) > config.k) first = ops::split(y_pred, {config.k, y_pred.shape(-1)}, -1)[0];
  const Tensor inputs[] = {ops::expand_dims(y_true, {-1}), first};
  return reduce_program(equal, inputs, -1, 1, dtype(), name().c_str(), backend::ReduceOp::maximum);
}

Value::Dict SparseTopKCategoricalAccuracyMetric::get_config() const {
  Value::Dict dict = MetricOf::get_config();
  if (!config.from_sorted_ids)
    std::erase_if(dict, [](const auto& entry) { return entry.first == "from_sorted_ids"; });
  return dict;
}

void register_sparse_top_k_categorical_accuracy(Catalog& c) {
  c.add<SparseTopKCategoricalAccuracyMetric>("keras.metrics.SparseTopKCategoricalAccuracy");
}

}  // namespace cornu::metrics

namespace cornu {
template class MetricOf<metrics::SparseTopKCategoricalAccuracyMetric,
                        metrics::SparseTopKCategoricalAccuracyConfig, metrics::MeanOf>;
}
