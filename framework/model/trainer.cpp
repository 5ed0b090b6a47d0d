// The loops of fit, evaluate and predict: batches, steps, callbacks.
#include "trainer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../backend/log.h"
#include "../compile/function.h"
#include "../ops/elementwise.h"
#include "../ops/numpy/joining.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "compiled.h"
#include "run_summary.h"
#include "step_witness.h"

namespace cornu {
namespace {

// Whether step number `step` belongs to a pass of so many steps, -1 where only the data tell.
bool within(int64_t step, int64_t steps) { return steps < 0 || step < steps; }

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

}  // namespace

int64_t steps_of(const Dataset& data, std::optional<int64_t> asked, const char* what,
                 const char* option) {
  const int64_t size = data.size();
  if (size == 0) throw ValueError(fmt::format("{}: the dataset has no batches.", what));
  if (asked && *asked < 1)
    throw ValueError(fmt::format("{}: {} must be at least 1, found {}.", what, option, *asked));
  if (!asked && size == Dataset::endless)
    throw ValueError(fmt::format("{}: the data have no end. Say how many batches to take, by {}.",
                                 what, option));
  const int64_t steps = asked.value_or(std::max<int64_t>(size, -1));
  const std::optional<int64_t> most = config::max_steps_per_epoch();
  return most && (steps < 0 || steps > *most) ? *most : steps;
}

Logs read_figures(const StepLogs& logs) {
  Logs result;
  for (const auto& [name, value] : logs) result.set(name, value);
  return result;
}

Nest class_weighted(const Nest& sample_weight, const std::map<int64_t, double>& weights,
                    const Nest& y) {
  return weights.empty() ? sample_weight : multiply(sample_weight, class_weights(weights, y));
}

void expect_samples(const char* what, const Nest& x, std::optional<int64_t> index) {
  const auto has_some = [](const Tensor& t) { return !t || t.rank() == 0 || t.shape()[0] != 0; };
  if (x.empty() || (x.is_tensor() && has_some(x.tensor()))) return;
  const std::vector<Tensor> tensors = x.flatten();
  // Of several inputs one may well be empty, such as the edges of a graph that has none.
  if (std::any_of(tensors.begin(), tensors.end(), has_some)) return;
  const std::string batch =
      index ? fmt::format("batch {} of the data (from 0)", *index) : "the batch";
  throw ValueError(
      fmt::format("{}: {} has no samples, x being of shape {}. Their loss has no mean: "
                  "leave such batches out.",
                  what, batch, tensors[0].shape().str()));
}

Batch Trainer::next(Dataset& data, int64_t epoch) {
  begin_pass(data, epoch);
  const int64_t index = position_++;
  Batch batch = ahead_.valid() ? ahead_.get() : data.batch(index);
  beside_ = on_device(batch.x) || on_device(batch.y);
  return batch;
}

// The batch that `next` gives after this.
Batch Trainer::peek(Dataset& data, int64_t epoch) {
  Batch batch = next(data, epoch);
  --position_;
  std::promise<Batch> promise;
  ahead_ = promise.get_future();
  promise.set_value(batch);
  return batch;
}

void Trainer::begin_pass(Dataset& data, int64_t epoch) {
  if (open_) return;
  data.on_epoch_begin(epoch);
  position_ = 0;
  ended_ = false;
  open_ = true;
  pass_epoch_ = epoch;
}

// Of data of unknown size the first batch of a pass must be looked for, where others have one.
void Trainer::begin_unknown(Dataset& data, int64_t epoch) {
  if (data.size() != Dataset::unknown) return;
  if (at_end(data)) end_pass(data, pass_epoch_);
  begin_pass(data, epoch);
}

void Trainer::end_pass(Dataset& data, int64_t epoch) {
  if (!std::exchange(open_, false)) return;
  ahead_ = {};
  data.on_epoch_end(epoch);
}

// Whether the open pass has no batch left. Of data of unknown size only the next batch tells.
bool Trainer::at_end(Dataset& data) {
  if (!open_) return false;
  const int64_t size = data.size();
  if (size == Dataset::endless) return false;
  if (size >= 0) return position_ >= size;
  if (!ended_ && !ahead_.valid()) look_ahead(data);
  return ended_;
}

// Takes the next batch, or its fault, before it is wanted.
void Trainer::look_ahead(Dataset& data) {
  std::promise<Batch> promise;
  try {
    std::optional<Batch> batch = data.next(position_);
    ended_ = !batch;
    if (ended_) return;
    promise.set_value(std::move(*batch));
  } catch (...) {
    promise.set_exception(std::current_exception());
  }
  ahead_ = promise.get_future();
}

// As in Keras: data that end before the epoch does end it. `asked` tells that it has a number of
// steps.
bool Trainer::ran_out(Dataset& data, const char* what, bool asked) {
  if (!at_end(data)) return false;
  if (asked)
    warn_once(fmt::format(
        "{}: the data have {} batches, fewer than the steps that were asked for, so the pass ends "
        "here. Leave the number of steps out, or make data that repeat.",
        what, data.size() >= 0 ? data.size() : position_));
  return true;
}

// Called when a step was launched and another one comes: the host's work on that one's batch, and
// the batch's way to the device, then take no time of their own. Within a pass only, as the dataset
// may change between passes.
void Trainer::fetch_ahead(Dataset& data) {
  if (!beside_ || at_end(data) || ahead_.valid()) return;
  look_ahead(data);
}

Batch Trainer::weighted(Batch batch, const FitOptions& options) const {
  batch.sample_weight = class_weighted(batch.sample_weight, options.class_weight, batch.y);
  return batch;
}

// The batch is gone when it returns, so that the next one can have its memory.
StepLogs Trainer::train_on(Batch batch, const FitOptions& options) {
  return model_.run_train_step(options.class_weight.empty() ? std::move(batch)
                                                            : weighted(std::move(batch), options));
}

// --- fit
// -----------------------------------------------------------------------------------------------

namespace {

// What asks for backups: the option, or a callback.
std::optional<BackupOptions> backup_of(const FitOptions& options) {
  std::optional<BackupOptions> found;
  if (!options.resume.empty()) found = options.resume.options();
  for (const auto& callback : options.callbacks) {
    const std::optional<BackupOptions> other =
        callback ? callback->backup() : std::optional<BackupOptions>();
    if (!other) continue;
    if (found)
      throw ValueError(fmt::format(
          "fit: backups go to one folder, but '{}' and '{}' were given (by resume or by "
          "BackupAndRestore).",
          found->folder, other->folder));
    found = other;
  }
  return found;
}

}  // namespace

Trainer::Run Trainer::start(Dataset& data, FitOptions& options, Dataset* validation) {
  const int64_t steps = steps_of(data, options.steps_per_epoch, "fit", "steps_per_epoch");
  // Now, not when an epoch is over. Validation data may still come.
  if (validation && validation->size() != 0)
    steps_of(*validation, options.validation_steps, "fit, validation_data", "validation_steps");
  if (!options.validation_freq.valid())
    throw ValueError("fit: validation_freq must be at least 1.");
  interrupt_.emplace();
  model_.stop_training = false;
  model_.forget_step_cache();
  return {.data = data,
          .validation = validation,
          .options = options,
          .steps = steps,
          .callbacks = CallbackList({}, model_),
          .bar = ProgressBar(options.verbose, options.epochs)};
}

History Trainer::fit(Dataset& data, FitOptions& options, Dataset* validation) {
  const std::optional<BackupOptions> backup = backup_of(options);
  Run run = start(data, options, validation);
  std::optional<RunState> state;
  if (backup) state = run.backup.emplace(*backup).latest();
  if (!options.journal.empty()) run.journal.emplace(options.journal.options());
  const Stopwatch watch;
  if (!begin(run, state, backup ? backup->folder : "")) return run.history;
  if (run.journal && state)
    run.journal->resume(run.epoch, run.step);
  else if (run.journal)
    run.journal->begin();
  for (; run.epoch < options.epochs && going_on(); ++run.epoch) {
    train_epoch(run);
    if (interrupt_->requested() || !end_epoch(run)) break;
  }
  end(run);
  run.history.time.total = watch.seconds();
  run.history.advice = advice(run);
  if (run.history.epoch.size() > 1 || run.history.interrupted)
    run.bar.print(summary(run));
  else if (!run.history.advice.empty())
    run.bar.print(run.history.advice + "\n");
  return run.history;
}

std::string Trainer::summary(const Run& run) const {
  std::vector<std::string> files;
  for (const auto& callback : run.callbacks.callbacks())
    for (std::string& file : callback->files()) files.push_back(std::move(file));
  return run_summary(run.history, run.options.epochs, memory::stats().peak, files) +
         (run.history.advice.empty() ? "" : run.history.advice + "\n");
}

// What the data say about a run that waited for them.
std::string Trainer::advice(const Run& run) {
  const RunTime& time = run.history.time;
  const double sum = time.step + time.data + time.callbacks + time.validation;
  if (time.data < 0.05 * sum) return "";
  const std::string said = run.data.advice(time.data, sum);
  return said.empty() ? "" : "fit " + said;
}

void Trainer::show_witnesses(const Run& run, const Batch& batch) {
  for (StepWitness* witness : run.witnesses)
    witness->before_step(model_, weighted(batch, run.options), run.step);
}

// The steps from run.step on.
void Trainer::train_epoch(Run& run) {
  const bool logs_each_batch = run.callbacks.wants_batch_logs();
  // C++ values that a step reads, such as a schedule of the user's, may change between epochs.
  model_.train_function_->recheck();
  run.bar.begin(run.epoch, run.steps >= 0 ? run.steps : run.seen);
  run.loss_at_hand = model_.loss_mean_->at_hand().has_value();
  // An epoch that a run goes on in has its pass, which may be over.
  if (!std::exchange(run.begun, false)) {
    model_.reset_metrics();
    run.last = {};
    Logs logs;
    run.callbacks.on_epoch_begin(run.epoch, logs);
    begin_unknown(run.data, run.epoch);
  }
  const bool asked = run.options.steps_per_epoch.has_value();
  while (within(run.step, run.steps) && !at_target(run) && going_on() &&
         !ran_out(run.data, "fit", asked))
    train_group(run, logs_each_batch);
  if (run.step == 0 && at_end(run.data)) throw ValueError("fit: the dataset has no batches.");
  run.seen = run.step;
}

// The steps between two calls of the batch hooks.
void Trainer::train_group(Run& run, bool logs_each_batch) {
  RunTime& time = run.history.time;
  Logs logs;
  run.clock.begin();
  if (run.backup && run.variables.empty()) keep_first(run);
  if (run.journal && run.journal->due()) note_state(run);
  run.callbacks.on_train_batch_begin(run.step, logs);
  run.clock.lap(time.callbacks);
  const int64_t begin = run.step, group = model_.compile_options().steps_per_execution;
  const int64_t end = run.steps < 0 ? begin + group : std::min(run.steps, begin + group);
  for (; run.step < end && !at_end(run.data) && !at_target(run); ++run.step) {
    Batch batch = next(run.data, run.epoch);
    expect_samples("fit", batch.x, position_ - 1);
    run.clock.lap(time.data);
    show_witnesses(run, batch);
    run.last = train_on(std::move(batch), run.options);
    run.clock.lap(time.step);
    if (run.journal) note_step(run);
    if (within(run.step + 1, run.steps)) fetch_ahead(run.data);
    run.clock.lap(time.data);
  }
  // Figures are read from the device only when somebody looks at them.
  const bool due = run.bar.due(run.step);
  if (due || logs_each_batch) logs = read_figures(model_.figures_of(run.last));
  run.clock.lap(time.step);
  run.callbacks.on_train_batch_end(begin + group - 1, logs);
  if (due) run.bar.update(run.step, logs, slow_parts(time));
  if (run.backup && run.backup->due(run.step - begin)) keep(run, state_of(run, true));
  run.clock.lap(time.callbacks);
  run.clock.end();
}

// Adds the figures of a validation when one is due. False when Ctrl-C ended it.
bool Trainer::validate(Run& run) {
  if (!validates(run, run.epoch)) return true;
  Trainer validation(model_);
  validation.interrupt_.emplace();
  const Stopwatch watch;
  const Logs found = validation.evaluate(*run.validation, run.options.validation_steps,
                                         run.callbacks, nullptr, run.epoch);
  run.history.time.validation += watch.seconds();
  if (interrupt_->requested()) return false;
  for (const auto& [name, value] : found) run.logs.set("val_" + name, found.array(name));
  return true;
}

// False when Ctrl-C ended the validation: the epoch is then not over.
bool Trainer::end_epoch(Run& run) {
  // Epochs of a given number of steps go on where the last one stopped.
  // Whether data of unknown size go on is for the next epoch to find out.
  const bool over = run.data.size() == Dataset::unknown ? ended_ : at_end(run.data);
  if (over || !run.options.steps_per_epoch) end_pass(run.data, run.epoch);
  run.logs = read_figures(model_.figures_of(run.last));
  if (!validate(run)) return false;
  // What callbacks add is in the history, and not in the logs of on_train_end.
  Logs logs = run.logs;
  const Stopwatch hooks;
  run.callbacks.on_epoch_end(run.epoch, logs);
  run.history.time.callbacks += hooks.seconds();
  detail::add_epoch(run.history, run.epoch, logs, validates(run, run.epoch));
  run.bar.finish(logs, slow_parts(run.history.time));
  run.step = 0;
  if (run.backup && !run.backup->options().save_freq) {
    RunState state = state_of(run, false);
    ++state.epoch;
    keep(run, std::move(state));
  }
  return true;
}

void Trainer::end(Run& run) {
  run.history.interrupted = interrupt_->requested();
  // What Ctrl-C ends can be resumed at this very step.
  if (run.history.interrupted && run.backup && !run.variables.empty())
    keep(run, state_of(run, run.step > 0));
  if (run.journal) run.journal->finish();
  // A pass that training stopped in ends too.
  end_pass(run.data, run.bar.epoch());
  // Before the callbacks' last hook, which may restore or save weights.
  if (model_.optimizer() && model_.optimizer()->built())
    model_.optimizer()->finalize_variable_values();
  run.callbacks.on_train_end(run.logs);
  if (!run.backup || run.history.interrupted) return;
  if (run.backup->options().delete_at_end) {
    run.backup->wait();
    run.backup->remove();
  } else if (!run.variables.empty()) {
    run.epoch = run.options.epochs;
    run.step = 0;
    keep(run, state_of(run, false, true));
    run.backup->wait();
  }
}

// --- evaluate and predict
// -----------------------------------------------------------------------------------------------

Logs Trainer::evaluate(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
                       ProgressBar* bar, int64_t epoch) {
  const int64_t count = steps_of(data, steps, "evaluate", "steps");
  model_.reset_metrics();
  model_.stop_evaluating = false;
  begin_unknown(data, epoch);
  if (at_end(data)) throw ValueError("evaluate: the dataset has no batches.");
  Logs logs;
  callbacks.on_test_begin(logs);
  StepLogs last;
  const int64_t group = model_.compile_options().steps_per_execution;
  for (int64_t step = 0; within(step, count) && !model_.stop_evaluating &&
                         !(interrupt_ && interrupt_->requested());) {
    if (ran_out(data, "evaluate", steps.has_value())) break;
    logs.clear();
    const int64_t begin = step, end = count < 0 ? begin + group : std::min(count, begin + group);
    callbacks.on_test_batch_begin(begin, logs);
    for (; step < end && !at_end(data); ++step) {
      Batch batch = next(data, epoch);
      expect_samples("evaluate", batch.x, position_ - 1);
      last = model_.run_test_step(std::move(batch));
      if (within(step + 1, count)) fetch_ahead(data);
    }
    const bool due = bar && bar->due(step);
    if (due || callbacks.wants_batch_logs()) logs = read_figures(model_.figures_of(last));
    callbacks.on_test_batch_end(begin + group - 1, logs);
    if (due) bar->update(step, logs);
  }
  end_pass(data, epoch);
  logs = read_figures(model_.figures_of(last));
  callbacks.on_test_end(logs);
  if (bar) bar->finish(logs);
  return logs;
}

namespace {

// What the steps from `begin` on gave, in the structure of the first one.
Nest joined(const Nest& first, const std::vector<std::vector<Tensor>>& parts, size_t begin) {
  std::vector<Tensor> whole;
  for (const std::vector<Tensor>& list : parts)
    whole.push_back(
        begin + 1 == list.size()
            ? list[begin]
            : ops::concatenate(
                  std::vector<Tensor>(list.begin() + static_cast<int64_t>(begin), list.end()), 0));
  return first.pack(whole);
}

}  // namespace

Nest Trainer::predict(Dataset& data, std::optional<int64_t> steps, CallbackList& callbacks,
                      ProgressBar* bar) {
  const int64_t count = steps_of(data, steps, "predict", "steps");
  if (model_.stop_predicting) model_.stop_predicting = false;
  begin_unknown(data, 0);
  if (at_end(data)) throw ValueError("predict: the dataset has no batches.");
  Logs logs;
  callbacks.on_predict_begin(logs);
  std::vector<std::vector<Tensor>> parts;
  Nest first;
  const int64_t group = model_.compile_options().steps_per_execution;
  for (int64_t step = 0; within(step, count) && !model_.stop_predicting &&
                         !ran_out(data, "predict", steps.has_value());) {
    const int64_t begin = step, end = count < 0 ? begin + group : std::min(count, begin + group);
    callbacks.on_predict_batch_begin(begin, logs);
    for (; step < end && !at_end(data); ++step) {
      const Nest y = model_.run_predict_step(next(data, 0).x);
      if (within(step + 1, count)) fetch_ahead(data);
      if (step == 0) first = y;
      const std::vector<Tensor> outputs = y.flatten();
      parts.resize(outputs.size());
      for (size_t i = 0; i < outputs.size(); ++i) parts[i].push_back(outputs[i]);
    }
    if (!callbacks.callbacks().empty())
      logs.outputs = joined(first, parts, static_cast<size_t>(begin));
    callbacks.on_predict_batch_end(begin + group - 1, logs);
    logs.outputs = {};
    if (bar && bar->due(step)) bar->update(step, logs);
  }
  end_pass(data, 0);
  callbacks.on_predict_end(logs);
  if (bar) bar->finish(logs);
  return joined(first, parts, 0);
}

}  // namespace cornu
