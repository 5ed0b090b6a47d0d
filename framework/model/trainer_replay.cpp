// Taking a step of an earlier run again.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>

#include "../base/call_scope.h"
#include "../compile/function.h"
#include "compiled.h"
#include "trainer.h"

namespace cornu {
namespace {

// Sees what the layers give, and the gradients that the optimizer is given.
class StepWatcher : public LayerObserver {
 public:
  StepWatcher() : outer_(std::exchange(call_context().observer, this)) {}
  ~StepWatcher() override { call_context().observer = outer_; }

  void after(Layer& layer, const Nest& outputs) override {
    if (!visible()) return;
    for (const Tensor& t : outputs.flatten())
      if (t) activations_.emplace_back(layer.path(), t);
  }
  // The one that is called last wraps none, and gets what is applied.
  void applying(const std::vector<Tensor>& gradients,
                const std::vector<Variable>& variables) override {
    if (!visible()) return;
    for (size_t i = 0; i < variables.size(); ++i) {
      std::erase_if(gradients_, [&](const auto& known) { return known.first == variables[i]; });
      if (gradients[i]) gradients_.emplace_back(variables[i], gradients[i]);
    }
  }

  // All that was seen, and the names for it.
  Nest::List seen(std::vector<std::string>& activations,
                  std::vector<std::string>& gradients) const {
    Nest::List first, second;
    activations.clear();
    gradients.clear();
    for (const auto& [name, tensor] : activations_) {
      activations.push_back(name);
      first.emplace_back(tensor);
    }
    for (const auto& [variable, tensor] : gradients_) {
      gradients.push_back(variable.path());
      second.emplace_back(tensor);
    }
    return {Nest(std::move(first)), Nest(std::move(second))};
  }

 private:
  // The bodies of loops, and what is computed again for the gradient, belong to somebody else.
  bool visible() const {
    const GraphContext& graph = graph_context();
    return graph.tracer == tracer_ && graph.inference_depth == 0 && graph.recomputations == 0;
  }

  LayerObserver* outer_;
  const Tracer* tracer_ = graph_context().tracer;
  StepReplay::Named activations_;
  std::vector<std::pair<Variable, Tensor>> gradients_;
};

StepReplay::Named named(const std::vector<std::string>& names, const Nest& nest) {
  StepReplay::Named result;
  for (size_t i = 0; i < names.size(); ++i) result.emplace_back(names[i], nest[i].tensor());
  return result;
}

StepReplay::Named values_of(const std::vector<Variable>& variables) {
  StepReplay::Named result;
  for (const Variable& v : variables) result.emplace_back(v.path(), v.value());
  return result;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         std::memcmp(a.host_data(), b.host_data(), a.bytes()) == 0;
}

std::vector<Tensor> values(const std::vector<Variable>& variables) {
  std::vector<Tensor> result;
  for (const Variable& v : variables) result.push_back(v.value());
  return result;
}

void give(const std::vector<Variable>& variables, const std::vector<Tensor>& values) {
  for (size_t i = 0; i < variables.size(); ++i) Variable(variables[i]).assign(values[i]);
}

// Callbacks that only look on stay out, and so do their states.
void leave_out_onlookers(Callbacks& callbacks, RunState& state) {
  for (size_t i = callbacks.size(); i-- > 0;) {
    if (!callbacks[i] || !callbacks[i]->looks_on()) continue;
    callbacks.erase(callbacks.begin() + static_cast<ptrdiff_t>(i));
    if (i < state.callbacks.size())
      state.callbacks.erase(state.callbacks.begin() + static_cast<ptrdiff_t>(i));
  }
}

}  // namespace

StepReplay Trainer::replay(int64_t step, Dataset& data, FitOptions& options, Dataset* validation) {
  if (options.journal.empty())
    throw ValueError("replay: the options name no journal. Give those of fit, with .journal.");
  const std::string folder = options.journal.options().folder;
  const JournalReader journal(folder);
  const JournalStep target = journal[step];
  RunState state = journal.state_before(target);
  options.epochs = std::max(options.epochs, target.epoch + 1);
  options.verbose = Verbose::silent;
  leave_out_onlookers(options.callbacks, state);

  Run run = start(data, options, validation);
  run.until = target;
  begin(run, state, folder);
  for (; run.epoch < options.epochs && going_on(); ++run.epoch) {
    train_epoch(run);
    if (at_target(run) || interrupt_->requested() || !end_epoch(run)) break;
  }
  if (!at_target(run))
    throw StateError(fmt::format(
        "replay: training ended before step {} of epoch {}, which the run in '{}' took. The data, "
        "the model and the options must be those of that run.",
        target.step, target.epoch + 1, folder));

  StepReplay replay{.epoch = target.epoch, .step = target.step, .recorded = target.loss};
  replay.batch = weighted(peek(data, run.epoch), options);
  const std::vector<Tensor> before = values(run.variables);
  replay.weights = values_of(model_.trainable_variables());
  replay.repeated = loss_of(model_.run_train_step(replay.batch)).item();
  replay.updated = values_of(model_.trainable_variables());
  watch(replay, before, run.variables);
  give(run.variables, before);
  end_pass(data, run.epoch);
  return replay;
}

// The step once more, by a plan that gives what lies inside of it as well.
void Trainer::watch(StepReplay& replay, const std::vector<Tensor>& before,
                    const std::vector<Variable>& variables) {
  std::vector<std::string> activations, gradients;
  Function step(
      [&](const Nest& x) {
        const LossScope losses;
        const StepWatcher watcher;
        const StepLogs logs = model_.train_step({x[0], x[1], x[2]});
        Nest::List seen = watcher.seen(activations, gradients);
        if (!logs.pending() && !logs.empty()) seen.emplace_back(loss_of(logs));
        return Nest(std::move(seen));
      },
      {.name = "replayed step", .first_call = FirstCall::replays});
  step.set_enabled(!model_.compile_options().run_eagerly);
  give(variables, before);
  // The figure is then that of this batch alone.
  model_.reset_metrics();
  const Nest seen = step(Nest::List{replay.batch.x, replay.batch.y, replay.batch.sample_weight});
  replay.activations = named(activations, seen[0]);
  replay.gradients = named(gradients, seen[1]);
  replay.loss = (seen.size() > 2 ? seen[2].tensor() : loss_of({})).item();
  const StepReplay::Named again = values_of(model_.trainable_variables());
  for (size_t i = 0; i < again.size(); ++i)
    replay.same_update &= same_bits(again[i].second, replay.updated[i].second);
}

Tensor Trainer::loss_of(const StepLogs& figures) const {
  for (const auto& [name, value] : figures)
    if (name == "loss") return value;
  return figures.empty() ? model_.loss_mean_->result() : figures.begin()->second;
}

}  // namespace cornu
