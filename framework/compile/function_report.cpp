// What a Function tells of itself: its calls, its plans, and where a plan's time goes.
#include <fmt/core.h>

#include "../dispatch/cost.h"
#include "function_state.h"
#include "plan/passes.h"

namespace cornu {

FunctionReport Function::report() const {
  const std::lock_guard lock(state_->mutex);
  FunctionReport report = state_->report;
  report.bodies = state_->bodies;
  report.replays = state_->replays;
  report.calls += report.bodies + report.replays;
  for (const auto& s : state_->signatures) report.plans += s->replay != nullptr;
  return report;
}

std::string Function::explain() const {
  const FunctionReport r = report();
  const std::lock_guard lock(state_->mutex);
  std::string text = fmt::format("{}: {} calls, {} replayed, {} recorded, {} plans",
                                 state_->options.name, r.calls, r.replays, r.recordings, r.plans);
  text += r.bodies > 0 ? fmt::format(", {} run eagerly\n", r.bodies) : "\n";
  for (const auto& s : state_->signatures) {
    std::string arguments;
    for (const Tensor& t : s->kind.flatten())
      if (t)
        arguments += (arguments.empty() ? "" : ", ") + (t.is_weak() ? t.str() : t.spec().str());
    text += fmt::format("  ({}): ", arguments);
    if (s->replay) {
      const plan::PlanPool& plans = s->replay->plans;
      text +=
          fmt::format("{} operations in {} steps, {} variables, arena of {} bytes instead of {}\n",
                      s->recorded.steps.size(), plans.graph().steps.size(),
                      plans.graph().variables.size(), plans.arena_bytes(), plans.unplanned_bytes());
    } else
      text += s->stage == Stage::eager ? "eager\n" : "recorded, not yet replayed\n";
  }
  for (const std::string& cause : r.causes) text += "  " + cause + "\n";
  return text;
}

std::string Function::passes() const {
  const std::lock_guard lock(state_->mutex);
  std::string text;
  for (const auto& s : state_->signatures) {
    if (s->stage == Stage::eager) continue;
    plan::Graph graph = s->recorded;
    text += fmt::format("recorded, {} steps:\n{}", graph.steps.size(), graph.str());
    plan::optimize(graph, [&](const char* pass, const plan::Graph& now) {
      text += fmt::format("\n{}, {} steps:\n{}", pass, now.steps.size(), now.str());
    });
  }
  return text;
}

std::string Function::plans() const {
  const std::lock_guard lock(state_->mutex);
  std::string text;
  for (const auto& s : state_->signatures)
    if (s->replay) text += s->replay->plans.graph().str() + "\n";
  return text;
}

namespace {

// Remembers the variables that are assigned during its life, and restores them.
class Restore {
 public:
  Restore() : outer_(graph_context().assignments) { graph_context().assignments = &list_; }
  Restore(const Restore&) = delete;
  ~Restore() {
    graph_context().assignments = outer_;
    for (const auto& [variable, value] : list_) variable.stored() = value;
  }

 private:
  AssignmentList list_, *outer_;
};

Function::Timing describe(const plan::Graph& graph, const plan::Step& step) {
  Function::Timing timing{step.name(), step.where};
  if (!step.kernel) return timing;
  std::vector<Tensor> inputs;
  std::vector<TensorSpec> outputs;
  const auto dtype = [&](const plan::Use& use) {
    return graph.values[static_cast<size_t>(use.value)].dtype;
  };
  for (const plan::Use& use : step.inputs)
    inputs.push_back(Tensor::abstract(use.shape, dtype(use)));
  for (const plan::Use& use : step.outputs) outputs.push_back({use.shape, dtype(use)});
  const Cost cost = kernel_cost(*step.kernel, inputs, outputs);
  timing.flops = cost.flops;
  timing.bytes = cost.bytes;
  return timing;
}

}  // namespace

Function::Profile Function::profile(const Nest& arguments, int repetitions) {
  Restore restore;
  State& s = *state_;
  TensorPointers tensors;
  State::Way way = s.find_way(arguments);
  for (int i = 0; i < 2 && way.stage != Stage::ready; ++i) {
    (*this)(arguments);
    way = s.find_way(arguments);
  }
  if (!collect(arguments, tensors) || !way.replay)
    throw StateError(fmt::format(
        "'{}' has no plan to profile: it runs eagerly. explain() says why.", s.options.name));
  const plan::Graph& graph = way.replay->plans.graph();
  Profile profile;
  profile.arena_bytes = way.replay->plans.arena_bytes();
  profile.unplanned_bytes = way.replay->plans.unplanned_bytes();
  for (const Variable& v : graph.variables) profile.variable_bytes += v.stored().bytes();
  for (const plan::Step& step : graph.steps) profile.steps.push_back(describe(graph, step));
  double best = 0;
  for (int i = 0; i < std::max(repetitions, 1); ++i) {
    std::vector<plan::StepTime> times;
    way.replay->run(tensors, &times);
    double total = 0;
    for (const plan::StepTime& t : times) total += t.seconds;
    if (i > 0 && total >= best) continue;
    best = total;
    for (size_t k = 0; k < times.size(); ++k) {
      profile.steps[k].start = times[k].start;
      profile.steps[k].seconds = times[k].seconds;
    }
  }
  return profile;
}

}  // namespace cornu
