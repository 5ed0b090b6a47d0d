// fit, evaluate and predict: loops over batches, with callbacks and a progress bar.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <future>

#include "../compile/function.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/joining.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "../ops/random/seed.h"
#include "compiled.h"
#include "model.h"
#include "progress_bar.h"

namespace cornu {
namespace {

Logs read(const StepLogs& logs) {
  Logs result;
  for (const auto& [name, value] : logs) result.set(name, value);
  return result;
}

// Weights of samples from the weights of their classes; y are class numbers, or probabilities.
Nest class_weights(const std::map<int64_t, double>& weights, const Nest& y) {
  if (!y.is_tensor()) throw ValueError("fit: class_weight needs a model with a single output.");
  Tensor labels = y.tensor();
  if (labels.rank() > 1)
    // Class numbers in a column, or one-hot rows.
    labels = labels.shape().back() == 1 ? ops::squeeze(labels, -1) : ops::argmax(labels, -1);
  std::vector<float> result;
  for (double label : labels.to_vector<double>()) {
    const auto found = weights.find(std::llround(label));
    result.push_back(found == weights.end() ? 1.0f : static_cast<float>(found->second));
  }
  return Tensor::from(result, labels.shape());
}

Nest multiply(const Nest& a, const Nest& b) {
  if (a.empty()) return b;
  if (!a.is_tensor())
    throw ValueError("fit: class_weight and sample_weight by output cannot be combined.");
  // Weights (n, 1) of samples meet weights (n) of their classes.
  const Tensor& weights = b.tensor();
  return ops::multiply(a.tensor(), a.tensor().size() == weights.size()
                                       ? weights.with_shape(a.tensor().shape())
                                       : weights);
}

// Whether the host is free while the device of these tensors computes.
bool on_device(const Nest& nest) {
  if (nest.empty()) return false;
  const auto is_there = [](const Tensor& t) { return t && !t.device().backend().on_host(); };
  if (nest.is_tensor()) return is_there(nest.tensor());
  const std::vector<Tensor> tensors = nest.flatten();
  return std::any_of(tensors.begin(), tensors.end(), is_there);
}

class CallbackList {
 public:
  CallbackList(const Callbacks& callbacks, Model& model, const TrainingParams& params)
      : list_(callbacks) {
    for (const auto& callback : list_) {
      if (!callback) throw ValueError("callbacks: one of them is empty.");
      callback->set_model(&model);
      callback->set_params(params);
      wants_logs_ |= callback->wants_batch_logs();
    }
  }
  bool empty() const { return list_.empty(); }
  bool wants_batch_logs() const { return wants_logs_; }

  template <class... P, class... A>
  void call(void (Callback::*hook)(P...), A&&... arguments) {
    for (const auto& callback : list_) ((*callback).*hook)(arguments...);
  }

 private:
  const Callbacks& list_;
  bool wants_logs_ = false;
};

}  // namespace

/// Runs passes over a dataset for one model.
class Trainer {
 public:
  explicit Trainer(Model& model) : model_(model) {}

  History fit(Dataset& data, FitOptions& options, Dataset* validation);
  Logs evaluate(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
                ProgressBar* bar);
  Nest predict(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
               ProgressBar* bar);

 private:
  void train_epoch(Dataset& data, int64_t steps, CallbackList& callbacks, ProgressBar& bar,
                   FitOptions& options, StepLogs& last);
  StepLogs train_on(Batch batch, const FitOptions& options);
  Batch next(Dataset& data, int64_t epoch);
  void fetch_ahead(Dataset& data);

  Model& model_;
  int64_t position_ = 0;      // of the next step's batch; passes go on where the last epoch stopped
  bool open_ = false;         // whether on_epoch_begin of the dataset's pass was called
  bool beside_ = false;       // whether the last batch is on a device, which works beside the host
  std::future<Batch> ahead_;  // batch `position_` of the open pass, or its fault, if it was fetched
};

Batch Trainer::next(Dataset& data, int64_t epoch) {
  if (open_ && position_ >= data.size()) {
    data.on_epoch_end(epoch);
    open_ = false;
  }
  if (!open_) {
    data.on_epoch_begin(epoch);
    position_ = 0;
    open_ = true;
  }
  const int64_t index = position_++;
  Batch batch = ahead_.valid() ? ahead_.get() : data.batch(index);
  beside_ = on_device(batch.x) || on_device(batch.y);
  return batch;
}

// Called when a step was launched and another one comes: the host's work on that one's batch, and
// the batch's way to the device, then take no time of their own. Within a pass only, as the dataset
// may change between passes.
void Trainer::fetch_ahead(Dataset& data) {
  if (!beside_ || ahead_.valid() || position_ >= data.size()) return;
  std::packaged_task<Batch()> fetch([&] { return data.batch(position_); });
  ahead_ = fetch.get_future();
  fetch();
}

// The batch is gone when it returns, so that the next one can have its memory.
StepLogs Trainer::train_on(Batch batch, const FitOptions& options) {
  if (!options.class_weight.empty())
    batch.sample_weight =
        multiply(batch.sample_weight, class_weights(options.class_weight, batch.y));
  return model_.run_train_step(batch);
}

void Trainer::train_epoch(Dataset& data, int64_t steps, CallbackList& callbacks, ProgressBar& bar,
                          FitOptions& options, StepLogs& last) {
  const int64_t group = model_.compile_options().steps_per_execution;
  const bool logs_each_batch = callbacks.wants_batch_logs();
  for (int64_t step = 0; step < steps && !model_.stop_training;) {
    Logs logs;
    callbacks.call(&Callback::on_train_batch_begin, step, logs);
    const int64_t end = std::min(steps, step + group);
    for (; step < end; ++step) {
      last = train_on(next(data, bar.epoch()), options);
      if (step + 1 < steps) fetch_ahead(data);
    }
    // Figures are read from the device only when somebody looks at them.
    const bool due = bar.due(step);
    if (due || logs_each_batch) logs = read(last.empty() ? model_.metrics_result() : last);
    callbacks.call(&Callback::on_train_batch_end, step - 1, logs);
    if (due) bar.update(step, logs);
  }
}

History Trainer::fit(Dataset& data, FitOptions& options, Dataset* validation) {
  const int64_t size = data.size();
  if (size < 1) throw ValueError("fit: the dataset has no batches.");
  const int64_t steps = options.steps_per_epoch.value_or(size);
  if (steps < 1) throw ValueError("fit: steps_per_epoch must be at least 1.");
  if (options.validation_freq < 1) throw ValueError("fit: validation_freq must be at least 1.");
  CallbackList callbacks(options.callbacks, model_,
                         {options.epochs, steps, static_cast<int>(options.verbose)});
  ProgressBar bar(options.verbose, options.epochs);
  History history;
  Logs logs;
  model_.stop_training = false;
  model_.forget_step_cache();
  callbacks.call(&Callback::on_train_begin, logs);
  for (int64_t epoch = options.initial_epoch; epoch < options.epochs && !model_.stop_training;
       ++epoch) {
    model_.reset_metrics();
    // C++ values that a step reads, such as a schedule of the user's, may change between epochs.
    model_.train_function_->recheck();
    bar.begin(epoch, steps);
    logs.clear();
    callbacks.call(&Callback::on_epoch_begin, epoch, logs);
    StepLogs last;
    train_epoch(data, steps, callbacks, bar, options, last);
    // A pass that is complete ends here, so that on_epoch_end is never left out.
    if (open_ && position_ >= size) {
      data.on_epoch_end(epoch);
      // The next epoch begins a pass of its own.
      open_ = false;
    }
    logs = read(last.empty() ? model_.metrics_result() : last);
    if (validation && (epoch + 1) % options.validation_freq == 0) {
      const Logs found =
          Trainer(model_).evaluate(*validation, options.validation_steps, callbacks, nullptr);
      for (const auto& [name, value] : found) logs.set("val_" + name, found.array(name));
    }
    callbacks.call(&Callback::on_epoch_end, epoch, logs);
    history.epoch.push_back(epoch);
    for (const auto& [name, value] : logs) {
      history.history[name].push_back(value);
      if (logs.is_array(name)) history.arrays[name].push_back(logs.array(name));
    }
    bar.finish(logs);
  }
  // A pass that training stopped in ends too.
  if (open_) data.on_epoch_end(bar.epoch());
  open_ = false;
  // Before the callbacks' last hook, which may restore or save weights.
  if (model_.optimizer() && model_.optimizer()->built())
    model_.optimizer()->finalize_variable_values();
  callbacks.call(&Callback::on_train_end, logs);
  return history;
}

Logs Trainer::evaluate(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
                       ProgressBar* bar) {
  const int64_t count = steps.value_or(data.size());
  if (count < 1 || data.size() < 1) throw ValueError("evaluate: the dataset has no batches.");
  model_.reset_metrics();
  Logs logs;
  callbacks.call(&Callback::on_test_begin, logs);
  StepLogs last;
  for (int64_t step = 0; step < count; ++step) {
    logs.clear();
    callbacks.call(&Callback::on_test_batch_begin, step, logs);
    last = model_.run_test_step(next(data, 0));
    if (step + 1 < count) fetch_ahead(data);
    const bool due = bar && bar->due(step + 1);
    if (due || callbacks.wants_batch_logs())
      logs = read(last.empty() ? model_.metrics_result() : last);
    callbacks.call(&Callback::on_test_batch_end, step, logs);
    if (due) bar->update(step + 1, logs);
  }
  if (open_) data.on_epoch_end(0);
  open_ = false;
  logs = read(last.empty() ? model_.metrics_result() : last);
  callbacks.call(&Callback::on_test_end, logs);
  if (bar) bar->finish(logs);
  return logs;
}

Nest Trainer::predict(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
                      ProgressBar* bar) {
  const int64_t count = steps.value_or(data.size());
  if (count < 1 || data.size() < 1) throw ValueError("predict: the dataset has no batches.");
  Logs logs;
  callbacks.call(&Callback::on_predict_begin, logs);
  std::vector<std::vector<Tensor>> parts;
  Nest first;
  for (int64_t step = 0; step < count; ++step) {
    callbacks.call(&Callback::on_predict_batch_begin, step, logs);
    const Nest y = model_.run_predict_step(next(data, 0).x);
    if (step + 1 < count) fetch_ahead(data);
    if (step == 0) first = y;
    const std::vector<Tensor> outputs = y.flatten();
    parts.resize(outputs.size());
    for (size_t i = 0; i < outputs.size(); ++i) parts[i].push_back(outputs[i]);
    callbacks.call(&Callback::on_predict_batch_end, step, logs);
    if (bar && bar->due(step + 1)) bar->update(step + 1, logs);
  }
  if (open_) data.on_epoch_end(0);
  open_ = false;
  callbacks.call(&Callback::on_predict_end, logs);
  if (bar) bar->finish(logs);
  std::vector<Tensor> whole;
  for (const auto& list : parts)
    whole.push_back(list.size() == 1 ? list[0] : ops::concatenate(list, 0));
  return first.pack(whole);
}

// --- Model's methods
// ------------------------------------------------------------------------------------------

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
  if (!class_weight.empty())
    batch.sample_weight = multiply(sample_weight, class_weights(class_weight, y));
  forget_step_cache();
  reset_metrics();
  const StepLogs logs = run_train_step(batch);
  return read(logs.empty() ? metrics_result() : logs);
}

Logs Model::test_on_batch(const Nest& x, const Nest& y, const Nest& sample_weight) {
  require_compiled("test_on_batch");
  const detail::ModelUse::Change change(use_, "test_on_batch", *this);
  count_samples(x, y, sample_weight);
  reset_metrics();
  const StepLogs logs = run_test_step({x, y, sample_weight});
  return read(logs.empty() ? metrics_result() : logs);
}

Nest Model::predict_on_batch(const Nest& x) {
  const detail::ModelUse::Inference inference(use_, "predict_on_batch", *this);
  return run_predict_step(x);
}

}  // namespace cornu
