// Functions: finding the plan of a call, recording, and deciding whether a recording can be
// trusted.
#include <fmt/core.h>

#include <algorithm>

#include "../../backend/log.h"
#include "../dispatch/complex.h"
#include "../dispatch/stateless_scope.h"
#include "debugger.h"
#include "function_state.h"
#include "plan/passes.h"
#include "plan/recording.h"
#include "step_trace.h"

namespace cornu {

// What a run of the body under a recording gave.
struct Recorded {
  Nest result;
  plan::Graph graph;
  bool needs_values = false;
  std::string host_read;  // where it did what no replay can do

  bool replayable() const { return !needs_values && host_read.empty(); }
};

namespace {

// Tells whoever wants to undo assignments which variables a plan is about to assign.
void note_assignments(const plan::Graph& graph) {
  AssignmentList* const list = graph_context().assignments;
  // remat asks, to undo the assignments before it runs a function again.
  if (!list) return;
  for (const plan::Assignment& a : graph.assignments) {
    const Variable& v = graph.variables[static_cast<size_t>(a.variable)];
    if (std::none_of(list->begin(), list->end(),
                     [&](const auto& known) { return known.first == v; }))
      list->emplace_back(v, v.stored());
  }
}

// For its life nothing is computed on this thread.
class DryRun {
 public:
  // Functions do not nest while one is recorded, so there is no outer value to restore.
  DryRun() { graph_context().dry = true; }
  ~DryRun() { graph_context().dry = false; }
  DryRun(const DryRun&) = delete;
};

// Runs something at the end of a scope.
template <class F>
class Undo {
 public:
  explicit Undo(F f) : f_(std::move(f)) {}
  ~Undo() { f_(); }
  Undo(const Undo&) = delete;

 private:
  F f_;
};

// The functions that this thread is inside of: one that its own host work calls runs its body.
class UnderWay {
 public:
  explicit UnderWay(const void* function) : function_(function), outer_(innermost) {
    innermost = this;
  }
  ~UnderWay() { innermost = outer_; }
  UnderWay(const UnderWay&) = delete;

  static bool has(const void* function) {
    const UnderWay* one = innermost;
    while (one && one->function_ != function) one = one->outer_;
    return one;
  }

 private:
  static thread_local constinit const UnderWay* innermost;
  const void* function_;
  const UnderWay* outer_;
};
thread_local constinit const UnderWay* UnderWay::innermost = nullptr;

// Each argument gets an identity of its own: two may be one tensor now, and differ in the next
// call.
Nest with_own_identities(const Nest& arguments) {
  return arguments.map([](const Tensor& t) {
    if (!t || t.is_weak()) return t;
    const Tensor own = t.fresh_alias();
    return t.mask() ? own.with_mask(t.mask().fresh_alias()) : own;
  });
}

std::vector<Tensor> present(const Nest& result) {
  std::vector<Tensor> tensors = result.flatten();
  std::erase_if(tensors, [](const Tensor& t) { return !t; });
  return tensors;
}

Recorded run_recorded(const Function::Body& body, const Nest& arguments, bool dry) {
  const Nest own = with_own_identities(arguments);
  // `map` may visit in another order than `collect`.
  // Plans take arguments in the order of the nest as it is written.
  TensorPointers order;
  collect(own, order);
  std::vector<Tensor> sources;
  for (const Tensor* t : order) sources.push_back(*t);
  for (const Tensor* t : order)
    if (t->impl()->mask) sources.push_back(t->mask());

  using plan::AssignedValues;
  plan::Recording recording(sources, dry ? AssignedValues::discard : AssignedValues::commit);
  Recorded recorded;
  if (dry) {
    const DryRun scope;
    try {
      recorded.result = body(own);
    } catch (const NeedsValues&) {
      // The body asked for a value that a dry run does not have: it has to compute.
      recorded.needs_values = true;
    }
  } else {
    recorded.result = body(own);
  }
  if (recorded.needs_values)
    recording.stop();
  else
    recorded.graph = recording.finish(present(recorded.result));
  recorded.host_read = recording.host_read();
  return recorded;
}

std::shared_ptr<Replay> make_replay(const plan::Graph& recorded, const Nest& result) {
  plan::Graph optimized = recorded;
  plan::optimize(optimized);
  const size_t count = optimized.outputs.size();
  return std::shared_ptr<Replay>(new Replay{plan::PlanPool(std::move(optimized)), result,
                                            result.is_tensor() && count == 1,
                                            result.is_tensor() && count == 0, count});
}

// Tells the trace of this thread, if there is one, how long a call took.
class TracedCall {
 public:
  explicit TracedCall(const std::string& name) : trace_(StepTrace::current()), name_(name) {
    if (trace_) start_ = trace_->now();
  }
  ~TracedCall() {
    if (trace_) trace_->add({name_, "", true, start_, trace_->now() - start_});
  }
  TracedCall(const TracedCall&) = delete;
  StepTrace* trace() const { return trace_; }

 private:
  StepTrace* trace_;
  const std::string& name_;
  double start_ = 0;
};

Nest run_traced(Replay& replay, const TensorPointers& tensors, StepTrace& trace) {
  const double begin = trace.now();
  std::vector<plan::StepTime> times;
  Nest result = replay.run(tensors, &times);
  const std::vector<plan::Step>& steps = replay.plans.graph().steps;
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i].seconds > 0)  // what a plan does once takes no time later
      trace.add({steps[i].name(), steps[i].where, false, begin + times[i].start, times[i].seconds});
  return result;
}

}  // namespace

Function::Function(Body body, Options options) : state_(std::make_unique<State>()) {
  if (!body) throw ValueError("Function '" + options.name + "': there is no body.");
  state_->body = std::move(body);
  state_->options = std::move(options);
}
Function::~Function() = default;
Function::Function(Function&&) noexcept = default;
Function& Function::operator=(Function&&) noexcept = default;

Nest Function::operator()(const Nest& arguments) { return call(arguments, false); }
Nest Function::operator()(Nest&& arguments) { return call(arguments, true); }

Nest Function::call(const Nest& arguments, bool donated) {
  State& s = *state_;
  const TracedCall traced(s.options.name);
  const GraphContext& context = graph_context();
  TensorPointers tensors;
  // Whoever watches is to see every operation.
  if (!s.enabled || context.tracer || !context.recorders.empty() || inferring() || context.cost ||
      StatelessScope::active() || UnderWay::has(&s) || !collect(arguments, tensors))
    return s.run_body(arguments);
  // A callback inside of the body may call the function again; its plan is in use then.
  const UnderWay under_way(&s);
  State::Way way = s.find_way(arguments);
  if (way.stage != Stage::ready && way.stage != Stage::eager) {
    const std::lock_guard recording(s.recording);
    way = s.find_way(arguments);  // another thread may have recorded it meanwhile
    if (way.stage != Stage::ready && way.stage != Stage::eager)
      return s.record(*way.signature, way.stage, arguments, tensors);
  }
  if (way.stage == Stage::eager) return s.run_body(arguments);
  // Counted outside of the lock, which concurrent callers hold only to find their plan.
  s.replays.fetch_add(1, std::memory_order_relaxed);
  return traced.trace() ? run_traced(*way.replay, tensors, *traced.trace())
                        : way.replay->run(tensors, nullptr, donated);
}

Nest Function::State::run_body(const Nest& arguments) {
  bodies.fetch_add(1, std::memory_order_relaxed);
  return body(arguments);
}

Function::State::Way Function::State::find_way(const Nest& arguments) {
  const std::lock_guard lock(mutex);
  const std::shared_ptr<Signature>& signature =
      // Comparing with the last signature first makes the common call independent of their number.
      last && same_kind(last->kind, arguments) ? last : find(arguments);
  signature->last_use = ++clock;
  if (check_next && signature->stage == Stage::ready) {
    // One signature is enough: what has changed for it is then looked for in all others.
    signature->stage = Stage::checked;
    check_next = false;
  }
  if (signature->stage == Stage::ready) return {nullptr, signature->replay, Stage::ready};
  return {signature, nullptr, signature->stage};
}

void Function::State::note(const std::string& text) {
  // Endless programs must not have endless reports.
  if (report.causes.size() < 100) report.causes.push_back(text);
}

const std::shared_ptr<Signature>& Function::State::find(const Nest& arguments) {
  for (const auto& s : signatures)
    if (same_kind(s->kind, arguments)) {
      last = s;
      return last;
    }
  if (!signatures.empty())
    note(kind_difference((last ? last : signatures.back())->kind, arguments,
                         options.argument_names));
  if (static_cast<int>(signatures.size()) >= std::max(options.max_plans, 1)) {
    const auto oldest =
        std::min_element(signatures.begin(), signatures.end(),
                         [](const auto& a, const auto& b) { return a->last_use < b->last_use; });
    // A caller that is running its plan keeps that alive by the shared pointer.
    signatures.erase(oldest);
  }
  last = signatures.emplace_back(std::make_shared<Signature>());
  last->kind = kind_of(arguments);
  return last;
}

void Function::State::give_up(Signature& signature, const std::string& why) {
  const std::string text = fmt::format("'{}' stays eager, which is slower: {}", options.name, why);
  {
    const std::lock_guard lock(mutex);
    signature.stage = Stage::eager;
    signature.replay.reset();
    signature.recorded = {};
    note(text);
  }
  // Outside of the lock: a sink of the log may call back.
  warn_once(text);
}

void Function::State::keep(Signature& signature, Recorded& recorded) {
  const std::lock_guard lock(mutex);
  signature.stage = Stage::checked;
  signature.replay.reset();
  signature.recorded = std::move(recorded.graph);
  signature.result = kind_of(recorded.result);
}

// Its replay, which is made if there is none.
std::shared_ptr<Replay> Function::State::replay_of(Signature& signature) {
  if (signature.replay) return signature.replay;
  // Outside of the lock: passes and the preparation of kernels take long, and others may replay
  // their signatures meanwhile.
  auto replay = make_replay(signature.recorded, signature.result);
  const std::lock_guard lock(mutex);
  signature.replay = replay;
  return replay;
}

// The first recording of a signature: computes, and its results are the call's, unless the function
// is to be recorded without computing and can be.
Nest Function::State::record_first(Signature& signature, const Nest& arguments,
                                   const TensorPointers& tensors) {
  if (options.first_call == FirstCall::replays) {
    if (debugger_attached()) {
      // For whoever stops in the body: once with values, which change nothing.
      const VariableOverlay overlay;
      body(arguments);
    }
    Recorded recorded = run_recorded(body, arguments, true);
    // Else the body runs for real below, and the dry run has changed nothing.
    if (recorded.replayable()) {
      keep(signature, recorded);
      return replay_of(signature)->run(tensors);
    }
  }
  // An eager call keeps more values than a plan: the memory of the other plans is of use to it.
  std::vector<std::shared_ptr<Replay>> others;
  {
    const std::lock_guard lock(mutex);
    for (const auto& other : signatures)
      if (other->replay) others.push_back(other->replay);
  }
  for (const auto& other : others) other->plans.release();
  Recorded recorded = run_recorded(body, arguments, false);
  const Nest result = recorded.result;
  if (recorded.replayable())
    keep(signature, recorded);
  else
    give_up(signature, host_read_text(recorded.host_read));
  return result;
}

// Records a call. Later recordings than the first only record: the call's results then come from
// the plan.
Nest Function::State::record(Signature& signature, Stage stage, const Nest& arguments,
                             const TensorPointers& tensors) {
  {
    const std::lock_guard lock(mutex);
    ++report.calls;
    ++report.recordings;
  }
  if (stage == Stage::fresh) return record_first(signature, arguments, tensors);
  Recorded recorded = run_recorded(body, arguments, true);
  if (!recorded.replayable()) {
    // It did not need values before. Whatever it does now, it has to be run for it.
    give_up(signature, host_read_text(recorded.host_read));
    return body(arguments);
  }
  std::string what;
  if (plan::same(signature.recorded, recorded.graph, what)) {
    replay_of(signature);  // before others may take it
    const std::lock_guard lock(mutex);
    signature.changes = 0;
    signature.stage = Stage::ready;
  } else {
    ++signature.changes;
    {
      const std::lock_guard lock(mutex);
      note(fmt::format("recorded again because the function did something else: {}", what));
      // What changed for these arguments has changed for others.
      for (const auto& other : signatures)
        if (other->stage == Stage::ready) other->stage = Stage::checked;
    }
    keep(signature, recorded);
  }
  Nest values = replay_of(signature)->run(tensors);
  if (signature.changes > 3)
    give_up(
        signature,
        fmt::format("each recording differs from the last ({}). It depends on something that is no "
                    "tensor, such as a counter; pass that as a tensor.",
                    what));
  return values;
}

std::string Function::State::host_read_text(const std::string& where) {
  return fmt::format(
      "it reads a tensor's value on the host ({}). Use ops::where or ops::cond for a decision, "
      "ops::callback for work of the host, or read the value outside.",
      where.empty() ? "while it makes a variable" : where);
}

Nest Replay::run(const TensorPointers& tensors, std::vector<plan::StepTime>* times, bool donated) {
  note_assignments(plans.graph());
  Tensors values(outputs);
  if (std::any_of(tensors.begin(), tensors.end(),
                  [](const Tensor* t) { return t->impl()->mask != nullptr; })) {
    TensorPointers all = tensors;
    std::vector<Tensor> masks;
    masks.reserve(tensors.size());
    for (const Tensor* t : tensors)
      if (t->impl()->mask) all.push_back(&masks.emplace_back(t->mask()));
    plans.run(all, values, times);
  } else {
    plans.run(tensors, values, times, donated);
  }
  if (nothing) return Nest();
  // Plans give tensors in the form in which they are stored, and arguments as they came.
  const auto labeled = [](Tensor t, const Tensor& kind) {
    const bool differs = has_emulated_storage(t.dtype()) || has_emulated_storage(kind.dtype());
    return differs ? bitcast(t, kind.spec()) : t;
  };
  if (single) return Nest(labeled(std::move(values[0]), result.tensor()));
  size_t next = 0;
  std::vector<Tensor> leaves = result.flatten();
  for (Tensor& t : leaves)
    if (t) t = labeled(std::move(values[next++]), t);
  return result.pack(leaves);
}

std::vector<Variable> Function::prepare(const Nest& arguments) {
  State& s = *state_;
  AssignmentList assigned;
  AssignmentList* const outer = std::exchange(graph_context().assignments, &assigned);
  const Undo restore([outer] { graph_context().assignments = outer; });
  const UnderWay under_way(&s);
  const std::lock_guard recording(s.recording);
  std::shared_ptr<Signature> signature;
  {
    const std::lock_guard lock(s.mutex);
    signature = s.find(arguments);
  }
  bool recorded = false;
  if (s.enabled) {
    Recorded run = run_recorded(s.body, arguments, true);
    recorded = run.replayable();
    if (recorded && signature->stage == Stage::fresh) s.keep(*signature, run);
  }
  if (!recorded) {
    // What is assigned goes with the overlay.
    const VariableOverlay overlay;
    s.body(arguments);
  }
  std::vector<Variable> variables;
  for (const auto& [variable, before] : assigned) variables.push_back(variable);
  return variables;
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

}  // namespace cornu
