// Functions: finding the plan of a call, recording, and deciding whether a recording can be
// trusted.
#include "function.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "../../backend/log.h"
#include "complex.h"
#include "cost.h"
#include "plan/passes.h"
#include "plan/plan.h"
#include "plan/recording.h"
#include "signature.h"

namespace cornu {
namespace {

// Tells whoever wants to undo assignments which variables a plan is about to assign.
void note_assignments(const plan::Graph& graph) {
  AssignmentList* const list = graph_context().assignments;
  if (!list) return;
  for (const plan::Assignment& a : graph.assignments) {
    const Variable& v = graph.variables[static_cast<size_t>(a.variable)];
    if (std::none_of(list->begin(), list->end(),
                     [&](const auto& known) { return known.first == v; }))
      list->emplace_back(v, v.stored());
  }
}

enum class Stage : uint8_t {
  fresh,    // has no recording
  checked,  // the next call is recorded again, without computing, and compared with the last
            // recording
  ready,    // replays
  eager,    // cannot be replayed
};

// For its life nothing is computed on this thread, and assignments of variables are undone at its
// end.
class DryRun {
 public:
  DryRun() : outer_(graph_context().assignments) {
    graph_context().assignments = &list_;
    graph_context().dry = true;
  }
  ~DryRun() {
    graph_context().dry = false;
    graph_context().assignments = outer_;
    for (const auto& [variable, value] : list_) variable.stored() = value;
  }
  DryRun(const DryRun&) = delete;

 private:
  AssignmentList list_, *outer_;
};

struct Signature {
  Nest kind;
  Stage stage = Stage::fresh;
  plan::Graph recorded;  // as it was recorded, for comparing
  std::unique_ptr<plan::Plan> plan;
  Nest result;  // how the outputs are nested
  bool single = false, nothing = false;
  std::vector<Tensor> outputs;
  int changes = 0;  // recordings in a row that differed
  uint64_t last_use = 0;
};

}  // namespace

struct Function::State {
  Body body;
  Options options;
  bool enabled = true;
  std::mutex mutex;
  std::vector<std::unique_ptr<Signature>> signatures;
  Signature* last = nullptr;
  uint64_t clock = 0;
  bool check_next = false;
  int64_t dropped = 0;
  FunctionReport report;

  Signature& find(const Nest& arguments);
  Nest record(Signature& signature, const Nest& arguments, const TensorPointers& tensors);
  void keep(Signature& signature, plan::Graph graph, const Nest& result, size_t count);
  static std::string host_read_text(const std::string& where);
  Nest replay(Signature& signature, const TensorPointers& tensors);
  void give_up(Signature& signature, const std::string& why);
  void note(const std::string& text);
};

Function::Function(Body body, Options options) : state_(std::make_unique<State>()) {
  state_->body = std::move(body);
  state_->options = std::move(options);
}
Function::~Function() = default;
Function::Function(Function&&) noexcept = default;
Function& Function::operator=(Function&&) noexcept = default;

Nest Function::operator()(const Nest& arguments) {
  State& s = *state_;
  const GraphContext& context = graph_context();
  // Whoever watches is to see every operation.
  if (!s.enabled || context.tracer || !context.recorders.empty() || inferring() || context.cost)
    return s.body(arguments);
  TensorPointers tensors;
  if (!collect(arguments, tensors)) return s.body(arguments);
  // A call from inside the function's own host work, or from another thread meanwhile, does not
  // wait.
  const std::unique_lock lock(s.mutex, std::try_to_lock);
  if (!lock.owns_lock()) return s.body(arguments);
  ++s.report.calls;
  Signature& signature = s.last && same_kind(s.last->kind, arguments) ? *s.last : s.find(arguments);
  signature.last_use = ++s.clock;
  if (s.check_next && signature.stage == Stage::ready) {
    signature.stage = Stage::checked;
    s.check_next = false;
  }
  if (signature.stage == Stage::ready) {
    ++s.report.replays;
    return s.replay(signature, tensors);
  }
  if (signature.stage == Stage::eager) return s.body(arguments);
  return s.record(signature, arguments, tensors);
}

void Function::State::note(const std::string& text) {
  // Endless programs must not have endless reports.
  if (report.causes.size() < 100) report.causes.push_back(text);
}

Signature& Function::State::find(const Nest& arguments) {
  for (const auto& s : signatures)
    if (same_kind(s->kind, arguments)) {
      last = s.get();
      return *last;
    }
  if (!signatures.empty())
    note(kind_difference((last ? last : signatures.back().get())->kind, arguments,
                         options.argument_names));
  if (static_cast<int>(signatures.size()) >= std::max(options.max_plans, 1)) {
    const auto oldest =
        std::min_element(signatures.begin(), signatures.end(),
                         [](const auto& a, const auto& b) { return a->last_use < b->last_use; });
    signatures.erase(oldest);
    ++dropped;
  }
  last = signatures.emplace_back(std::make_unique<Signature>()).get();
  last->kind = kind_of(arguments);
  return *last;
}

void Function::State::give_up(Signature& signature, const std::string& why) {
  signature.stage = Stage::eager;
  signature.plan.reset();
  signature.recorded = {};
  const std::string text = fmt::format("'{}' stays eager, which is slower: {}", options.name, why);
  note(text);
  warn_once(text);
}

// Records a call. The first recording of a signature computes, and its results are the call's.
// Later ones only record: the call's results then come from the plan.
Nest Function::State::record(Signature& signature, const Nest& arguments,
                             const TensorPointers& tensors) {
  ++report.recordings;
  // Each argument gets an identity of its own: two may be one tensor now, and differ in the next
  // call.
  const Nest disguised = arguments.map([&](const Tensor& t) {
    if (!t || t.is_weak()) return t;
    Tensor own = t.disguised();
    if (t.mask()) own.set_mask(t.mask().disguised());
    return own;
  });
  // `map` may visit in another order than `collect`.
  TensorPointers order;
  collect(disguised, order);
  std::vector<Tensor> sources;
  for (const Tensor* t : order) sources.push_back(*t);
  for (const Tensor* t : order)
    if (t->impl()->mask) sources.push_back(t->mask());

  const bool first = signature.stage == Stage::fresh;
  // An eager call keeps more values than a plan: the memory of the other plans is of use to it.
  if (first)
    for (const auto& other : signatures)
      if (other->plan) other->plan->release();
  plan::Recording recording(sources);
  Nest result;
  bool needs_values = false;
  {
    std::optional<DryRun> dry;
    if (!first) dry.emplace();
    try {
      result = body(disguised);
    } catch (const NeedsValues&) {
      needs_values = true;
    }
  }
  if (needs_values || (!first && !recording.host_read().empty())) {
    // It did not need values before. Whatever it does now, it has to be run for it.
    recording.stop();
    give_up(signature, host_read_text(recording.host_read()));
    return body(arguments);
  }
  std::vector<Tensor> outputs = result.flatten(), present;
  for (const Tensor& t : outputs)
    if (t) present.push_back(t);
  plan::Graph graph = recording.finish(present);
  if (!recording.host_read().empty()) {
    give_up(signature, host_read_text(recording.host_read()));
    return result;
  }
  if (first) {
    keep(signature, std::move(graph), result, present.size());
    return result;
  }
  std::string what;
  const bool equal = plan::same(signature.recorded, graph, what);
  if (!equal) {
    ++signature.changes;
    note(fmt::format("recorded again because the function did something else: {}", what));
    // What changed for these arguments has changed for others.
    for (const auto& other : signatures)
      if (other->stage == Stage::ready) other->stage = Stage::checked;
    keep(signature, std::move(graph), result, present.size());
  } else {
    signature.changes = 0;
    signature.stage = Stage::ready;
  }
  if (!signature.plan) {
    plan::Graph optimised = signature.recorded;
    plan::optimize(optimised);
    auto plan = std::make_unique<plan::Plan>(std::move(optimised));
    signature.plan = std::move(plan);
  }
  Nest values = replay(signature, tensors);
  if (signature.changes > 3)
    give_up(
        signature,
        fmt::format("each recording differs from the last ({}). It depends on something that is no "
                    "tensor, such as a counter; pass that as a tensor.",
                    what));
  return values;
}

void Function::State::keep(Signature& signature, plan::Graph graph, const Nest& result,
                           size_t count) {
  signature.stage = Stage::checked;
  signature.plan.reset();
  signature.recorded = std::move(graph);
  signature.single = result.is_tensor() && count == 1;
  signature.nothing = result.is_tensor() && count == 0;
  signature.outputs.assign(count, {});
  signature.result = kind_of(result);
}

std::string Function::State::host_read_text(const std::string& where) {
  return fmt::format(
      "it reads a tensor's value on the host ({}). Use ops::where or ops::cond for a decision, "
      "ops::callback for work of the host, or read the value outside.",
      where.empty() ? "while it makes a variable" : where);
}

Nest Function::State::replay(Signature& signature, const TensorPointers& tensors) {
  note_assignments(signature.plan->graph());
  if (std::any_of(tensors.begin(), tensors.end(),
                  [](const Tensor* t) { return t->impl()->mask != nullptr; })) {
    TensorPointers all = tensors;
    std::vector<Tensor> masks;
    masks.reserve(tensors.size());
    for (const Tensor* t : tensors)
      if (t->impl()->mask) all.push_back(&masks.emplace_back(t->mask()));
    signature.plan->run(all, signature.outputs);
  } else {
    signature.plan->run(tensors, signature.outputs);
  }
  if (signature.nothing) return Nest();
  // Plans give tensors in the form in which they are stored, and arguments as they came.
  const auto labelled = [](Tensor t, const Tensor& kind) {
    const bool differs = is_stored_otherwise(t.dtype()) || is_stored_otherwise(kind.dtype());
    return differs ? relabelled(t, kind.spec()) : t;
  };
  if (signature.single)
    return Nest(labelled(std::move(signature.outputs[0]), signature.result.tensor()));
  size_t next = 0;
  std::vector<Tensor> leaves = signature.result.flatten();
  for (Tensor& t : leaves)
    if (t) t = labelled(std::move(signature.outputs[next++]), t);
  return signature.result.pack(leaves);
}

void Function::recheck() {
  const std::lock_guard lock(state_->mutex);
  for (const auto& s : state_->signatures) state_->check_next |= s->stage == Stage::ready;
}

void Function::clear() {
  const std::lock_guard lock(state_->mutex);
  state_->signatures.clear();
  state_->last = nullptr;
}

void Function::set_enabled(bool enabled) { state_->enabled = enabled; }

FunctionReport Function::report() const {
  const std::lock_guard lock(state_->mutex);
  FunctionReport report = state_->report;
  for (const auto& s : state_->signatures) report.plans += s->plan != nullptr;
  return report;
}

std::string Function::explain() const {
  const FunctionReport r = report();
  const std::lock_guard lock(state_->mutex);
  std::string text = fmt::format("{}: {} calls, {} replayed, {} recorded, {} plans\n",
                                 state_->options.name, r.calls, r.replays, r.recordings, r.plans);
  for (const auto& s : state_->signatures) {
    std::string arguments;
    for (const Tensor& t : s->kind.flatten())
      if (t)
        arguments += (arguments.empty() ? "" : ", ") + (t.is_weak() ? t.str() : t.spec().str());
    text += fmt::format("  ({}): ", arguments);
    if (s->plan)
      text += fmt::format(
          "{} operations in {} steps, {} variables, arena of {} bytes instead of {}\n",
          s->recorded.steps.size(), s->plan->graph().steps.size(),
          s->plan->graph().variables.size(), s->plan->arena_bytes(), s->plan->unplanned_bytes());
    else
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
    if (s->plan) text += s->plan->graph().str() + "\n";
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
  for (int i = 0; i < 2; ++i)
    if (!s.last || !same_kind(s.last->kind, arguments) || s.last->stage != Stage::ready)
      (*this)(arguments);
  const std::lock_guard lock(s.mutex);
  TensorPointers tensors;
  if (!collect(arguments, tensors) || !s.last || !s.last->plan || s.last->stage != Stage::ready)
    throw StateError(fmt::format(
        "'{}' has no plan to profile: it runs eagerly. explain() says why.", s.options.name));
  std::vector<Tensor> masks;
  masks.reserve(tensors.size());
  const TensorPointers given = tensors;
  for (const Tensor* t : given)
    if (t->impl()->mask) tensors.push_back(&masks.emplace_back(t->mask()));
  plan::Plan& plan = *s.last->plan;
  note_assignments(plan.graph());
  Profile profile;
  profile.arena_bytes = plan.arena_bytes();
  profile.unplanned_bytes = plan.unplanned_bytes();
  for (const Variable& v : plan.graph().variables) profile.variable_bytes += v.stored().bytes();
  for (const plan::Step& step : plan.graph().steps)
    profile.steps.push_back(describe(plan.graph(), step));
  double best = 0;
  for (int i = 0; i < std::max(repetitions, 1); ++i) {
    std::vector<plan::StepTime> times;
    plan.run(tensors, s.last->outputs, &times);
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
