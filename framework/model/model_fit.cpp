// fit, evaluate and predict as users call them: data becomes a dataset, and a Trainer runs.
#include <fmt/core.h>

#include <cmath>

#include "../../backend/log.h"
#include "../data/shuffled_batches.h"
#include "../ops/random/seed.h"
#include "compiled.h"
#include "trainer.h"

namespace cornu {

namespace {

// Throws ValueError for what stands for data in a graph, and is none.
void expect_values(const char* what, const Nest& x, const Nest& y, const Nest& weight) {
  const auto check = [&](const Nest& nest, const char* argument) {
    if (nest.empty()) return;
    for (const Tensor& t : nest.flatten())
      if (t && t.is_symbolic())
        throw ValueError(fmt::format(
            "{}: {} is a symbolic tensor, as Input gives it: it stands for data of shape {} and "
            "has no values. Give arrays of data.",
            what, argument, t.shape().str()));
  };
  check(x, "x");
  check(y, "y");
  check(weight, "sample_weight");
}

std::unique_ptr<Dataset> in_batches(const Nest& x, const Nest& y, const Nest& weight,
                                    int64_t batch_size) {
  return std::make_unique<TensorDataset>(x, y, weight,
                                         TensorDataset::Options{batch_size, false, 0});
}

// What a run trains on, and what it is validated on.
struct RunData {
  std::shared_ptr<Dataset> train, validation;
};

void add_validation(RunData& data, const ValidationData& given, int64_t batch_size,
                    size_t outputs) {
  if (given.dataset) {
    data.validation = given.dataset;
  } else if (!given.empty()) {
    expect_weights("fit: validation_data", given.y, given.sample_weight, outputs);
    data.validation = in_batches(given.x, given.y, given.sample_weight, batch_size);
  }
}

RunData data_of(const Nest& x, const Nest& y, const FitOptions& options, size_t outputs) {
  if (!(options.validation_split >= 0 && options.validation_split < 1))
    throw ValueError(fmt::format("fit: validation_split must be in [0, 1), found {}.",
                                 options.validation_split));
  expect_values("fit", x, y, options.sample_weight);
  expect_weights("fit", y, options.sample_weight, outputs);
  const int64_t batch_size = options.batch_size.value_or(32);
  const int64_t validation_batch = options.validation_batch_size.value_or(batch_size);
  const int64_t samples = count_samples(x, y, options.sample_weight);
  Nest train_x = x, train_y = y, train_weight = options.sample_weight;
  RunData data;
  if (options.validation_split > 0 && options.validation_data.empty()) {
    const int64_t cut = static_cast<int64_t>(
        std::floor(static_cast<double>(samples) * (1 - options.validation_split)));
    if (cut == 0 || cut == samples)
      throw ValueError(fmt::format("fit: validation_split {} of {} samples leaves an empty part.",
                                   options.validation_split, samples));
    data.validation = in_batches(take_rows(x, cut, samples), take_rows(y, cut, samples),
                                 take_rows(options.sample_weight, cut, samples), validation_batch);
    train_x = take_rows(x, 0, cut);
    train_y = take_rows(y, 0, cut);
    train_weight = take_rows(options.sample_weight, 0, cut);
  }
  add_validation(data, options.validation_data, validation_batch, outputs);
  data.train = std::make_shared<TensorDataset>(
      train_x, train_y, train_weight,
      TensorDataset::Options{batch_size, options.shuffle,
                             options.shuffle ? random::shuffle_seed() : 0});
  return data;
}

RunData data_of(std::shared_ptr<Dataset> dataset, const FitOptions& options, size_t outputs) {
  if (!dataset) throw ValueError("fit: the dataset is empty.");
  if (options.validation_split > 0 && options.validation_data.empty())
    throw ValueError("fit: validation_split works on tensors only; give validation_data.");
  // As Keras: a PyDataset's batches come in any order, those of a pipeline in its own.
  if (options.shuffle && !dataset->has_own_order() && dataset->size() > 0)
    dataset = std::make_shared<ShuffledBatches>(std::move(dataset), random::shuffle_seed());
  RunData data{std::move(dataset), nullptr};
  add_validation(data, options.validation_data, options.validation_batch_size.value_or(32),
                 outputs);
  return data;
}

// Figures that are there to be read.
Logs closed(Logs logs) {
  logs.close();
  return logs;
}

void limit_epochs(FitOptions& options) {
  const auto most = config::max_epochs();
  if (!most || *most >= options.epochs) return;
  warn_once(fmt::format("fit: epochs are limited to {} by config::max_epochs.", *most));
  options.epochs = *most;
}

}  // namespace

History Model::fit(const Nest& x, const Nest& y, FitOptions options) {
  require_compiled("fit");
  const detail::ModelUse::Change change(use_, "fit", *this);
  limit_epochs(options);
  const RunData data = data_of(x, y, options, output_names().size());
  return history_ = Trainer(*this).fit(*data.train, options, data.validation.get());
}

History Model::fit(const Nest& x, FitOptions options) { return fit(x, Nest(), std::move(options)); }

History Model::fit(AnyDataset dataset, FitOptions options) {
  require_compiled("fit");
  const detail::ModelUse::Change change(use_, "fit", *this);
  limit_epochs(options);
  const RunData data = data_of(dataset.shared(), options, output_names().size());
  return history_ = Trainer(*this).fit(*data.train, options, data.validation.get());
}

StepReplay Model::replay(int64_t step, const Nest& x, const Nest& y, FitOptions options) {
  require_compiled("replay");
  const detail::ModelUse::Change change(use_, "replay", *this);
  const RunData data = data_of(x, y, options, output_names().size());
  return Trainer(*this).replay(step, *data.train, options, data.validation.get());
}

StepReplay Model::replay(int64_t step, AnyDataset dataset, FitOptions options) {
  require_compiled("replay");
  const detail::ModelUse::Change change(use_, "replay", *this);
  const RunData data = data_of(dataset.shared(), options, output_names().size());
  return Trainer(*this).replay(step, *data.train, options, data.validation.get());
}

Logs Model::evaluate(const Nest& x, const Nest& y, EvaluateOptions options) {
  expect_values("evaluate", x, y, options.sample_weight);
  expect_weights("evaluate", y, options.sample_weight, output_names().size());
  const int64_t batch_size = options.batch_size.value_or(32);
  return evaluate(std::make_shared<TensorDataset>(x, y, options.sample_weight,
                                                  TensorDataset::Options{batch_size, false, 0}),
                  options);
}

Logs Model::evaluate(const Nest& x, EvaluateOptions options) {
  return evaluate(x, Nest(), std::move(options));
}

Logs Model::evaluate(AnyDataset dataset, EvaluateOptions options) {
  require_compiled("evaluate");
  const detail::ModelUse::Change change(use_, "evaluate", *this);
  if (!dataset) throw ValueError("evaluate: the dataset is empty.");
  forget_step_cache();
  const int64_t steps = steps_of(*dataset, options.steps, "evaluate", "steps");
  CallbackList callbacks(options.callbacks, *this,
                         {1, steps, static_cast<int>(Verbose(options.verbose))});
  ProgressBar bar(options.verbose, 1);
  bar.begin_pass(steps);
  return closed(Trainer(*this).evaluate(*dataset, options.steps, callbacks, &bar));
}

Prediction Model::predict(const Nest& x, PredictOptions options) {
  const detail::ModelUse::Inference inference(use_, "predict", *this);
  expect_values("predict", x, {}, {});
  const int64_t batch_size = options.batch_size.value_or(32);
  // One batch and nobody watching: the step itself, without any loop around it.
  if (options.callbacks.empty() && !options.steps && x.is_tensor() && x.tensor() &&
      x.tensor().rank() > 0 && x.tensor().shape()[0] <= batch_size && x.tensor().shape()[0] > 0)
    return run_predict_step(x);
  return predict(std::make_shared<TensorDataset>(x, Nest(), Nest(),
                                                 TensorDataset::Options{batch_size, false, 0}),
                 options);
}

Prediction Model::predict(AnyDataset dataset, PredictOptions options) {
  const detail::ModelUse::Inference inference(use_, "predict", *this);
  if (!dataset) throw ValueError("predict: the dataset is empty.");
  const int64_t steps = steps_of(*dataset, options.steps, "predict", "steps");
  CallbackList callbacks(options.callbacks, *this,
                         {1, steps, static_cast<int>(Verbose(options.verbose))});
  ProgressBar bar(options.verbose, 1);
  bar.begin_pass(steps);
  return Trainer(*this).predict(*dataset, options.steps, callbacks, &bar);
}

Logs Model::train_on_batch(const Nest& x, const Nest& y, BatchOptions options) {
  require_compiled("train_on_batch");
  const detail::ModelUse::Change change(use_, "train_on_batch", *this);
  expect_values("train_on_batch", x, y, options.sample_weight);
  expect_weights("train_on_batch", y, options.sample_weight, output_names().size());
  count_samples(x, y, options.sample_weight);
  expect_samples("train_on_batch", x);
  forget_step_cache();
  reset_metrics();
  const StepLogs logs =
      run_train_step({x, y, class_weighted(options.sample_weight, options.class_weight, y)});
  return closed(read_figures(figures_of(logs)));
}

Logs Model::test_on_batch(const Nest& x, const Nest& y, TestBatchOptions options) {
  require_compiled("test_on_batch");
  const detail::ModelUse::Change change(use_, "test_on_batch", *this);
  expect_values("test_on_batch", x, y, options.sample_weight);
  expect_weights("test_on_batch", y, options.sample_weight, output_names().size());
  count_samples(x, y, options.sample_weight);
  expect_samples("test_on_batch", x);
  reset_metrics();
  const StepLogs logs = run_test_step({x, y, options.sample_weight});
  return closed(read_figures(figures_of(logs)));
}

Prediction Model::predict_on_batch(const Nest& x) {
  const detail::ModelUse::Inference inference(use_, "predict_on_batch", *this);
  return run_predict_step(x);
}

}  // namespace cornu
