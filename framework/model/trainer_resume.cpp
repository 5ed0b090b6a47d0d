// How a run of fit begins, anew or from a backup, and what a backup keeps of it.
#include <fmt/core.h>

#include <algorithm>

#include "../../backend/log.h"
#include "compiled.h"
#include "step_witness.h"
#include "trainer.h"

namespace cornu {

// Tells the callbacks, and goes on from a state if there is one. False when nothing is left to do.
bool Trainer::begin(Run& run, const std::optional<RunState>& state, const std::string& folder) {
  run.callbacks = CallbackList(run.options.callbacks, model_,
                               {run.options.epochs, run.steps,
                                static_cast<int>(Verbose(run.options.verbose)), state.has_value()});
  run.epoch = run.options.initial_epoch;
  if (state) {
    restore_variables(run, *state, folder);
    run.epoch = state->epoch;
    run.step = state->step;
    run.history = state->history;
    for (const int64_t epoch : run.history.epoch)
      if (validates(run, epoch)) run.history.validated.push_back(epoch);
    run.last = {};
    for (const auto& [name, value] : state->figures)
      if (value.is<Tensor>()) run.last[name] = value.get<Tensor>();
    if (state->finished && run.epoch >= run.options.epochs) return false;
  }
  Logs logs;
  run.callbacks.on_train_begin(logs);
  for (const auto& callback : run.options.callbacks)
    if (auto* witness = dynamic_cast<StepWitness*>(callback.get());
        witness && witness->watches_steps())
      run.witnesses.push_back(witness);
  if (!state) return true;
  give_states(run, *state, folder);
  model_.stop_training = state->stopped;
  if (!state->within) return true;
  run.begun = true;
  run.callbacks.on_epoch_begin(run.epoch, logs);
  // What the hooks changed had been changed before the backup.
  give_states(run, *state, folder);
  // The epoch's end may ask for its last batch, of which no step is left.
  if (at_end(run.data)) show_witnesses(run, run.data.batch(position_ - 1));
  for (size_t i = 0; i < run.variables.size(); ++i) run.variables[i].assign(state->variables[i]);
  return true;
}

// The dataset goes to where it was, and the variables get their values.
void Trainer::restore_variables(Run& run, const RunState& state, const std::string& folder) {
  if (state.steps != run.steps)
    throw StateError(fmt::format(
        "The state in '{}' is of a run with {} steps in an epoch, this one has {}. Train on "
        "the same data with the same batch size, or give another folder.",
        folder, state.steps, run.steps));
  run.data.set_state(state.data);
  pass_epoch_ = state.pass_open ? state.pass_epoch : state.epoch;
  position_ = state.pass_open ? state.position : 0;
  run.data.on_epoch_begin(pass_epoch_);
  open_ = true;
  // A batch tells which variables there are: the next one, unless the pass is at its end.
  std::optional<Batch> batch = run.data.next(position_);
  ended_ = !batch;
  if (ended_) batch = run.data.batch(position_ - 1);
  run.variables = model_.run_variables(weighted(*batch, run.options));
  if (!ended_) {
    std::promise<Batch> next;
    ahead_ = next.get_future();
    next.set_value(std::move(*batch));
  }
  const auto describe = [](const std::string& name, const Shape& shape, DType dtype) {
    return fmt::format("'{}' {} {}", name, dtype_name(dtype), shape.str());
  };
  for (size_t i = 0; i < std::max(run.variables.size(), state.variables.size()); ++i) {
    const std::string mine =
        i < run.variables.size()
            ? describe(run.variables[i].name(), run.variables[i].shape(), run.variables[i].dtype())
            : "nothing";
    const std::string kept =
        i < state.variables.size()
            ? describe(state.names[i], state.variables[i].shape(), state.variables[i].dtype())
            : "nothing";
    if (mine != kept)
      throw StateError(fmt::format(
          "The state in '{}' is of another model, or of one that was compiled otherwise: "
          "variable {} is {} there and {} here. Give another folder, or remove this one to begin "
          "anew.",
          folder, i, kept, mine));
  }
  for (size_t i = 0; i < run.variables.size(); ++i) run.variables[i].assign(state.variables[i]);
}

void Trainer::give_states(Run& run, const RunState& state, const std::string& folder) {
  const Callbacks& list = run.callbacks.callbacks();
  for (size_t i = 0; i < list.size(); ++i) {
    // By place and class; one that was not there begins anew.
    if (i < state.callbacks.size() && state.callbacks[i].first == list[i]->name())
      list[i]->set_state(state.callbacks[i].second);
    else
      warn_once(
          fmt::format("The state in '{}' has none of callback {} at its place in "
                      "the list, so it begins anew.",
                      folder, list[i]->name()));
  }
}

// The journal goes first, so that it has what lies before every backup.
void Trainer::keep(Run& run, RunState state) {
  if (run.journal) run.journal->flush();
  run.backup->keep(std::move(state));
}

// A run that is killed from here on has a state, which tells what to cut off from files that
// callbacks append to.
void Trainer::keep_first(Run& run) {
  run.variables = model_.run_variables(weighted(peek(run.data, run.epoch), run.options));
  keep(run, state_of(run, true));
  run.backup->wait();
}

void Trainer::note_state(Run& run) {
  if (run.variables.empty())
    run.variables = model_.run_variables(weighted(peek(run.data, run.epoch), run.options));
  run.journal->keep(state_of(run, true));
}

void Trainer::note_step(Run& run) {
  if (run.last.empty() && run.loss_at_hand)
    run.journal->note(run.epoch, run.step, model_.loss_mean_->peek());
  else
    run.journal->note(run.epoch, run.step, loss_of(run.last));
}

RunState Trainer::state_of(const Run& run, bool within, bool finished) const {
  RunState state{.epoch = run.epoch,
                 .step = run.step,
                 .steps = run.steps,
                 .within = within,
                 .finished = finished,
                 .stopped = model_.stop_training && !finished,
                 .pass_open = open_,
                 .pass_epoch = pass_epoch_,
                 .position = position_,
                 .data = run.data.get_state(),
                 .history = run.history};
  if (within)
    for (const auto& [name, value] : run.last) state.figures.emplace_back(name, value);
  for (const Variable& v : run.variables) {
    state.names.push_back(v.name());
    state.variables.push_back(v.value());
  }
  for (const auto& callback : run.callbacks.callbacks())
    state.callbacks.emplace_back(callback->name(), callback->get_state());
  return state;
}

}  // namespace cornu
