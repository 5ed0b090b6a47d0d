// fit, evaluate and predict as users call them: data becomes a dataset, and a Trainer runs.
#include <fmt/core.h>

#include <cmath>

#include "../ops/random/seed.h"
#include "trainer.h"

namespace cornu {

History Model::fit(const Nest& x, const Nest& y, FitOptions options) {
  require_compiled("fit");
  const detail::ModelUse::Change change(use_, "fit", *this);
  if (!(options.validation_split >= 0 && options.validation_split < 1))
    throw ValueError(fmt::format("fit: validation_split must be in [0, 1), found {}.",
                                 options.validation_split));
  const int64_t batch_size = options.batch_size.value_or(32);
  Nest train_x = x, train_y = y, train_weight = options.sample_weight;
  std::unique_ptr<Dataset> validation;
  const int64_t validation_batch = options.validation_batch_size.value_or(batch_size);
  const int64_t samples = count_samples(x, y, options.sample_weight);
  if (options.validation_split > 0 && options.validation_data.empty()) {
    const int64_t cut = static_cast<int64_t>(
        std::floor(static_cast<double>(samples) * (1 - options.validation_split)));
    if (cut == 0 || cut == samples)
      throw ValueError(fmt::format("fit: validation_split {} of {} samples leaves an empty part.",
                                   options.validation_split, samples));
    validation =
        std::make_unique<TensorDataset>(take_rows(x, cut, samples), take_rows(y, cut, samples),
                                        take_rows(options.sample_weight, cut, samples),
                                        TensorDataset::Options{validation_batch, false, 0});
    train_x = take_rows(x, 0, cut);
    train_y = take_rows(y, 0, cut);
    train_weight = take_rows(options.sample_weight, 0, cut);
  }
  Dataset* validation_data = validation.get();
  if (options.validation_data.dataset) {
    validation_data = options.validation_data.dataset.get();
  } else if (!options.validation_data.empty()) {
    const ValidationData& v = options.validation_data;
    validation = std::make_unique<TensorDataset>(
        v.x, v.y, v.sample_weight, TensorDataset::Options{validation_batch, false, 0});
    validation_data = validation.get();
  }
  TensorDataset data(train_x, train_y, train_weight,
                     {batch_size, options.shuffle, options.shuffle ? random::default_seed() : 0});
  return Trainer(*this).fit(data, options, validation_data);
}

History Model::fit(std::shared_ptr<Dataset> dataset, FitOptions options) {
  require_compiled("fit");
  const detail::ModelUse::Change change(use_, "fit", *this);
  if (!dataset) throw ValueError("fit: the dataset is empty.");
  if (options.validation_split > 0)
    throw ValueError("fit: validation_split works on tensors only; give validation_data.");
  if (options.batch_size)
    throw ValueError("fit: a Dataset sets its own batch size; leave batch_size out.");
  std::unique_ptr<Dataset> validation;
  Dataset* validation_data = options.validation_data.dataset.get();
  if (!validation_data && !options.validation_data.empty()) {
    const ValidationData& v = options.validation_data;
    validation = std::make_unique<TensorDataset>(
        v.x, v.y, v.sample_weight,
        TensorDataset::Options{options.validation_batch_size.value_or(32), false, 0});
    validation_data = validation.get();
  }
  return Trainer(*this).fit(*dataset, options, validation_data);
}

Logs Model::evaluate(const Nest& x, const Nest& y, EvaluateOptions options) {
  const int64_t batch_size = options.batch_size.value_or(32);
  return evaluate(std::make_shared<TensorDataset>(x, y, options.sample_weight,
                                                  TensorDataset::Options{batch_size, false, 0}),
                  options);
}

Logs Model::evaluate(std::shared_ptr<Dataset> dataset, EvaluateOptions options) {
  require_compiled("evaluate");
  const detail::ModelUse::Change change(use_, "evaluate", *this);
  if (!dataset) throw ValueError("evaluate: the dataset is empty.");
  forget_step_cache();
  const int64_t steps = options.steps.value_or(dataset->size());
  CallbackList callbacks(options.callbacks, *this, {1, steps, static_cast<int>(options.verbose)});
  ProgressBar bar(options.verbose, 1);
  bar.begin_pass(steps);
  return Trainer(*this).evaluate(*dataset, options.steps, callbacks, &bar);
}

Nest Model::predict(const Nest& x, PredictOptions options) {
  const detail::ModelUse::Inference inference(use_, "predict", *this);
  const int64_t batch_size = options.batch_size.value_or(32);
  // One batch and nobody watching: the step itself, without any loop around it.
  if (options.callbacks.empty() && !options.steps && x.is_tensor() && x.tensor() &&
      x.tensor().rank() > 0 && x.tensor().shape()[0] <= batch_size && x.tensor().shape()[0] > 0)
    return run_predict_step(x);
  return predict(std::make_shared<TensorDataset>(x, Nest(), Nest(),
                                                 TensorDataset::Options{batch_size, false, 0}),
                 options);
}

Nest Model::predict(std::shared_ptr<Dataset> dataset, PredictOptions options) {
  const detail::ModelUse::Inference inference(use_, "predict", *this);
  if (!dataset) throw ValueError("predict: the dataset is empty.");
  const int64_t steps = options.steps.value_or(dataset->size());
  CallbackList callbacks(options.callbacks, *this, {1, steps, static_cast<int>(options.verbose)});
  ProgressBar bar(options.verbose, 1);
  bar.begin_pass(steps);
  return Trainer(*this).predict(*dataset, options.steps, callbacks, &bar);
}

Logs Model::train_on_batch(const Nest& x, const Nest& y, const Nest& sample_weight,
                           const std::map<int64_t, double>& class_weight) {
  require_compiled("train_on_batch");
  const detail::ModelUse::Change change(use_, "train_on_batch", *this);
  count_samples(x, y, sample_weight);
  Batch batch{x, y, sample_weight};
  batch.sample_weight = class_weighted(sample_weight, class_weight, y);
  forget_step_cache();
  reset_metrics();
  const StepLogs logs = run_train_step(batch);
  return read_figures(logs.empty() ? metrics_result() : logs);
}

Logs Model::test_on_batch(const Nest& x, const Nest& y, const Nest& sample_weight) {
  require_compiled("test_on_batch");
  const detail::ModelUse::Change change(use_, "test_on_batch", *this);
  count_samples(x, y, sample_weight);
  reset_metrics();
  const StepLogs logs = run_test_step({x, y, sample_weight});
  return read_figures(logs.empty() ? metrics_result() : logs);
}

Nest Model::predict_on_batch(const Nest& x) {
  const detail::ModelUse::Inference inference(use_, "predict_on_batch", *this);
  return run_predict_step(x);
}

}  // namespace cornu
