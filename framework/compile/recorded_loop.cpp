// Recording loops: the body's plan, the plan of its gradient, and the rounds in which they run.
#include "recorded_loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "../autodiff/tape.h"
#include "../dispatch/apply.h"
#include "../ops/core/slices.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/indexing.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "recorded_part.h"

namespace cornu::ops::control {
namespace {

using Changed = plan::PartRecording::Changed;

// Where an argument of a part's plan comes from.
struct Source {
  enum Kind : uint8_t { state, slice, fixed } kind;
  size_t index;
};

// What a replay needs. The step's inputs are the first state, the tensors to slice, those that stay
// the same, and for counted rounds their number; its outputs the last state, what was collected,
// the states before each round if they are kept, and then the number of rounds.
struct Rounds {
  std::shared_ptr<const Part> body, test;  // test: of a while loop
  std::vector<Source> body_sources, test_sources;
  size_t states = 0, slices = 0, collected = 0, fixed = 0;
  int64_t count = 0;
  bool reverse = false, keeps_states = false;
  bool counted = false;  // the number of rounds is an input

  void run(std::span<const Tensor> in, std::span<const Tensor> out) const;
};

Tensor row_of(const Tensor& t, int64_t i) {
  Shape shape;
  for (int axis = 1; axis < t.rank(); ++axis) shape.push_back(t.shape()[axis]);
  // While the loop is recorded without computing; the row's shape is all that is asked for.
  if (t.is_meta()) return Tensor::meta(shape, t.dtype(), t.device().backend());
  const size_t bytes = static_cast<size_t>(shape.numel()) * size_of(t.dtype());
  return Tensor::part_of(t, static_cast<char*>(t.data()) + static_cast<size_t>(i) * bytes, shape,
                         t.dtype());
}

Shape rows_of(int64_t count, const Shape& shape) {
  Shape result{count};
  for (const int64_t size : shape) result.push_back(size);
  return result;
}

void copy(const Tensor& from, const Tensor& to) {
  if (from.data() != to.data() && to.bytes() > 0)
    to.impl()->storage->backend->copy(to.data(), from.data(), to.bytes());
}

void Rounds::run(std::span<const Tensor> in, std::span<const Tensor> out) const {
  const int64_t rounds =
      counted ? *static_cast<const int32_t*>(in[states + slices + fixed].read()) : count;
  const std::span<const Tensor> kept = out.subspan(keeps_states ? states + collected : out.size());
  std::vector<Tensor> state(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(states));
  std::vector<Tensor> spare, rows(slices), results;
  if (!keeps_states)
    // Two places per state: a plan must not write over the state that it reads.
    for (const Tensor& t : state) spare.push_back(Tensor::empty(t.shape(), t.dtype()));
  const auto place = [&](int64_t n) { return reverse ? rounds - 1 - n : n; };
  std::vector<const Tensor*> arguments;
  const auto bind = [&](const std::vector<Source>& sources) {
    arguments.clear();
    for (const Source& s : sources)
      arguments.push_back(s.kind == Source::state   ? &state[s.index]
                          : s.kind == Source::slice ? &rows[s.index]
                                                    : &in[states + slices + s.index]);
  };
  const Tensor decision = test ? Tensor::empty({}, test->results[0].dtype()) : Tensor();
  int64_t n = 0;
  for (; n < rounds; ++n) {
    if (test) {
      bind(test_sources);
      // A decision is read by the host in each round, as it has to launch the body.
      test->plan->run_into(arguments, {&decision, 1});
      if (decision.item() == 0) break;
    }
    const int64_t i = place(n);
    if (keeps_states)
      for (size_t s = 0; s < states; ++s) copy(state[s], row_of(kept[s], i));
    for (size_t s = 0; s < slices; ++s) rows[s] = row_of(in[states + s], i);
    results.clear();
    for (size_t s = 0; s < states; ++s)
      // The last round writes to the output itself. Before it, rounds alternate such that this one
      // and the next never share a place; with kept states each round has a row of its own.
      results.push_back(n + 1 == rounds    ? out[s]
                        : keeps_states     ? row_of(kept[s], place(n + 1))
                        : (rounds - n) & 1 ? out[s]
                                           : spare[s]);
    for (size_t s = 0; s < collected; ++s) results.push_back(row_of(out[states + s], i));
    bind(body_sources);
    body->plan->run_into(arguments, results);
    state.assign(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(states));
  }
  // Needed when the loop ended early or had no round; else source and target are the same.
  for (size_t s = 0; s < states; ++s) copy(state[s], out[s]);
  if (keeps_states) {
    const int32_t rounds_done = static_cast<int32_t>(n);
    kept[states].impl()->storage->backend->copy_from_host(kept[states].data(), &rounds_done,
                                                          sizeof rounds_done);
  }
}

// Puts values into variables for a time, unnoticed.
class Recomputation {
 public:
  Recomputation(const std::vector<Changed>& changed, std::span<const Tensor> values) {
    for (size_t i = 0; i < changed.size(); ++i) {
      before_.emplace_back(changed[i].variable, changed[i].variable.stored());
      // The tape of the gradient looks for variables by key.
      values[i].impl()->key = changed[i].variable.key();
      changed[i].variable.stored() = values[i];
    }
    ++graph_context().recomputations;
  }
  ~Recomputation() {
    --graph_context().recomputations;
    for (const auto& [variable, value] : before_) variable.stored() = value;
  }
  Recomputation(const Recomputation&) = delete;

 private:
  AssignmentList before_;
};

class LoopRecorder {
 public:
  explicit LoopRecorder(const LoopCode& code) : code_(code) {}

  std::optional<Scanned> run() {
    state_ = leaves(code_.init);
    xs_ = leaves(code_.xs);
    for (const std::vector<Tensor>* list : {&state_, &xs_})
      for (const Tensor& t : *list)
        if (!t || t.is_weak() || !t.is_eager()) return {};
    try {
      if (!record_forward()) return {};
    } catch (const NeedsValues&) {
      // Outside of a dry run values exist, so the exception is not about this loop.
      if (!graph_context().dry) throw;
      why_ = "a value is read in the loop";
      return {};
    }
    taped_ = find_watched();
    if (taped_ && !record_backward()) return {};
    return finish();
  }

  const std::string& why() const { return why_; }

 private:
  std::vector<Tensor> first_rows() const {
    std::vector<Tensor> rows;
    for (const Tensor& t : xs_) rows.push_back(row_of(t, code_.reverse ? code_.count - 1 : 0));
    return rows;
  }

  bool record_forward() {
    std::vector<Tensor> given;
    // Two states may be one tensor at first and differ later.
    for (const Tensor& t : state_) given.push_back(t.fresh_alias());
    const Nest state = packed(code_.init, given);
    const std::vector<Tensor> rows = first_rows();
    const Nest x = packed(code_.xs, rows);
    given.insert(given.end(), rows.begin(), rows.end());
    Scanned result;
    body_ = std::make_shared<Part>(given, [&] {
      result = code_.body(state, x);
      std::vector<Tensor> all = leaves(result.carry);
      for (const Tensor& t : leaves(result.ys)) all.push_back(t);
      return Nest(all);
    });
    why_ = body_->host_read();
    if (!why_.empty()) return false;
    if (code_.holds) {
      const std::vector<Tensor> only(given.begin(),
                                     given.begin() + static_cast<std::ptrdiff_t>(state_.size()));
      test_ = std::make_shared<Part>(only, [&] { return Nest(code_.holds(state)); });
      why_ = !test_->recording->changed().empty() ? "a loop's condition assigns variables"
                                                  : test_->host_read();
      if (!why_.empty()) return false;
      if (test_->results.size() != 1 || test_->results[0].size() != 1)
        throw ShapeError(fmt::format("{}: the condition must be a scalar.", code_.op));
    }
    why_ = "a loop's state changes its structure, shape or dtype";
    carry_ = result.carry;
    ys_ = result.ys;
    const std::vector<Tensor> after = leaves(carry_), collected = leaves(ys_);
    if (code_.holds) check_same(code_.init, carry_, code_.op);
    if (after.size() != state_.size() || (!state_.empty() && !carry_.same_structure(code_.init)))
      return false;
    for (const std::vector<Tensor>* list : {&after, &collected})
      for (const Tensor& t : *list)
        if (!t) return false;
    for (size_t i = 0; i < after.size(); ++i)
      if (after[i].spec() != state_[i].spec() || after[i].is_weak()) return false;
    for (const Tensor& t : collected) collected_.push_back(t.spec());
    changed_ = body_->recording->changed();
    std::vector<Tensor> results(body_->results.begin(),
                                body_->results.begin() + static_cast<std::ptrdiff_t>(after.size()));
    // Variables that the body assigns are states of the loop like any other.
    for (const Changed& c : changed_) results.push_back(c.after);
    results.insert(results.end(),
                   body_->results.begin() + static_cast<std::ptrdiff_t>(after.size()),
                   body_->results.end());
    body_->finish(results);
    if (test_) test_->finish(test_->results);
    return true;
  }

  // Lets open tapes see what the body reads, and says whether one watches any of it.
  bool find_watched() {
    if (graph_context().recorders.empty()) return false;
    // Reading has the side effect that tapes watch trainable variables.
    for (const Variable& v : body_->recording->variables()) (void)v.value();
    bool any = false;
    for (const auto* list :
         std::initializer_list<const std::vector<Tensor>*>{&state_, &xs_, &body_->captured()})
      for (const Tensor& t : *list) any |= watched(t);
    return any;
  }

  // The plan of a round's gradient. Given are the gradients of the state, sums of those of what was
  // captured, the state before the round, its slices, and the gradients of what it collected; it
  // gives new gradients of the state, new sums, and the gradients of the slices.
  bool record_backward() {
    const auto trainable = [](const Changed& c) { return c.variable.trainable(); };
    why_ = graph_context().recorders.size() > 1 ? "a loop under several GradientTapes"
           : code_.count < 0 ? "a loop under a GradientTape needs a bound: give maximum_iterations"
           : std::any_of(changed_.begin(), changed_.end(), trainable)
               ? "a loop under a GradientTape assigns trainable variables"
               : "";
    if (!why_.empty()) return false;
    for (size_t i = 0; i < state_.size(); ++i)
      if (is_float(state_[i].dtype())) float_states_.push_back(i);
    for (size_t i = 0; i < xs_.size(); ++i)
      if (watched(xs_[i])) watched_xs_.push_back(i);
    for (const Tensor& t : body_->captured()) {
      const bool known = std::any_of(sources_.begin(), sources_.end(), [&](const Tensor& s) {
        return s.impl()->key == t.impl()->key;
      });
      const bool changes = std::any_of(changed_.begin(), changed_.end(), [&](const Changed& c) {
        return c.variable.key() == t.impl()->key;
      });
      if (watched(t) && !known && !changes) sources_.push_back(t);
    }
    // The first recording finds what has a gradient at all.
    // The sums that flow from round to round are inputs of the plan, so their number must be known
    // before it is recorded: hence a second recording where some source had no gradient.
    const size_t before = sources_.size();
    if (!record_gradient()) return false;
    return sources_.size() == before || record_gradient();
  }

  bool record_gradient() {
    std::vector<Tensor> given;
    const auto take = [&](const Tensor& t) {
      given.push_back(stand_in(t.spec()));
      return given.back();
    };
    std::vector<Tensor> weights, sums, states, rows;
    for (const size_t i : float_states_) weights.push_back(take(state_[i]));
    for (const Tensor& t : sources_) sums.push_back(take(t));
    for (const Tensor& t : state_) states.push_back(take(t));
    for (const Changed& c : changed_) states.push_back(take(c.before));
    for (const Tensor& t : first_rows()) rows.push_back(take(t));
    for (const TensorSpec& s : collected_)
      if (is_float(s.dtype)) {
        given.push_back(stand_in(s));
        weights.push_back(given.back());
      }
    std::vector<Tensor> kept;
    backward_ = std::make_shared<Part>(given, [&] {
      const Recomputation recomputation(changed_, std::span(states).subspan(state_.size()));
      GradientTape tape;
      std::vector<Tensor> of;
      for (const size_t i : float_states_) of.push_back(states[i]);
      for (const Tensor& t : sources_) of.push_back(t);
      for (const size_t i : watched_xs_) of.push_back(rows[i]);
      for (const Tensor& t : of) tape.watch(t);
      const Scanned result = code_.body(
          packed(code_.init,
                 {states.begin(), states.begin() + static_cast<std::ptrdiff_t>(state_.size())}),
          packed(code_.xs, rows));
      std::vector<Tensor> targets;
      const std::vector<Tensor> after = leaves(result.carry);
      for (const size_t i : float_states_) targets.push_back(after[i]);
      for (const Tensor& t : leaves(result.ys))
        if (is_float(t.dtype())) targets.push_back(t);
      std::vector<Tensor> gradients = tape.gradient(targets, of, weights);
      kept.clear();
      for (size_t i = 0; i < gradients.size(); ++i) {
        const size_t first = float_states_.size(), end = first + sources_.size();
        if (i >= first && i < end) {
          // Dropped from the sums altogether rather than carried along as zeros.
          if (!gradients[i]) continue;
          kept.push_back(sources_[i - first]);
          gradients[i] = sums[i - first] + gradients[i];
        } else if (!gradients[i]) {
          gradients[i] = ops::zeros(of[i].shape(), of[i].dtype());
        }
      }
      std::erase_if(gradients, [](const Tensor& t) { return !t; });
      return Nest(gradients);
    });
    sources_ = kept;
    why_ = backward_->host_read();
    return why_.empty();
  }

  Scanned finish() {
    auto rounds = std::make_shared<Rounds>();
    rounds->states = state_.size() + changed_.size();
    rounds->slices = xs_.size();
    rounds->collected = collected_.size();
    rounds->count = code_.count < 0 ? std::numeric_limits<int64_t>::max() : code_.count;
    rounds->reverse = code_.reverse;
    rounds->keeps_states = taped_;
    std::vector<Tensor> inputs = state_, fixed;
    for (const Changed& c : changed_) inputs.push_back(c.before);
    inputs.insert(inputs.end(), xs_.begin(), xs_.end());
    for (size_t i = 0; i < state_.size(); ++i) {
      rounds->body_sources.push_back({Source::state, i});
      rounds->test_sources.push_back({Source::state, i});
    }
    for (size_t i = 0; i < xs_.size(); ++i) rounds->body_sources.push_back({Source::slice, i});
    const auto add_captured = [&](const Part& part, std::vector<Source>& sources) {
      for (const Tensor& t : part.captured()) {
        const auto at = std::find_if(changed_.begin(), changed_.end(), [&](const Changed& c) {
          return c.before.impl()->storage == t.impl()->storage;
        });
        if (at != changed_.end()) {
          sources.push_back(
              {Source::state, state_.size() + static_cast<size_t>(at - changed_.begin())});
          continue;
        }
        sources.push_back({Source::fixed, fixed.size()});
        fixed.push_back(t);
      }
    };
    add_captured(*body_, rounds->body_sources);
    if (test_) add_captured(*test_, rounds->test_sources);
    rounds->fixed = fixed.size();
    inputs.insert(inputs.end(), fixed.begin(), fixed.end());

    std::vector<TensorSpec> specs;
    for (size_t i = 0; i < rounds->states; ++i) specs.push_back(inputs[i].spec());
    for (const TensorSpec& s : collected_)
      specs.push_back({rows_of(code_.count, s.shape), s.dtype});
    if (taped_) {
      for (size_t i = 0; i < rounds->states; ++i)
        specs.push_back({rows_of(code_.count, specs[i].shape), specs[i].dtype});
      specs.push_back({{}, DType::int32});
    }
    std::string text;
    if (test_) text = fmt::format("  while:\n{}", test_->text);
    text += code_.count < 0
                ? fmt::format("  {}:\n", code_.op)
                : fmt::format("  {}, {}{} rounds{}:\n", code_.op, test_ ? "at most " : "",
                              code_.count, code_.reverse ? " backwards" : "");
    text += body_->text;
    rounds->body = body_;
    rounds->test = test_;
    const Tensors outputs = apply_steps(
        [rounds](std::span<const Tensor> in, std::span<const Tensor> out) { rounds->run(in, out); },
        inputs, specs, text);
    const std::vector<Tensor> all(outputs.begin(), outputs.end());
    const auto at = [&](size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    if (taped_) {
      std::vector<Tensor> kept(at(rounds->states + rounds->collected), all.end());
      add_gradient({all.begin(), at(state_.size())},
                   {at(rounds->states), at(rounds->states + rounds->collected)}, kept);
    }
    for (size_t i = 0; i < changed_.size(); ++i)
      Variable(changed_[i].variable).assign(all[state_.size() + i]);
    return {packed(carry_, {all.begin(), at(state_.size())}),
            packed(ys_, {at(rounds->states), at(rounds->states + rounds->collected)})};
  }

  void add_gradient(const std::vector<Tensor>& last, const std::vector<Tensor>& ys,
                    std::vector<Tensor> kept) {
    auto rounds = std::make_shared<Rounds>();
    rounds->states = float_states_.size() + sources_.size();
    rounds->slices = kept.size() - 1 + xs_.size();
    rounds->collected = watched_xs_.size();
    rounds->count = code_.count;
    rounds->counted = true;
    rounds->reverse = !code_.reverse;
    for (size_t i = 0; i < rounds->states; ++i) rounds->body_sources.push_back({Source::state, i});
    for (const TensorSpec& s : collected_) rounds->slices += is_float(s.dtype);
    for (size_t i = 0; i < rounds->slices; ++i) rounds->body_sources.push_back({Source::slice, i});
    backward_->finish(backward_->results);
    const std::vector<Tensor> fixed = backward_->captured();
    rounds->fixed = fixed.size();
    for (size_t i = 0; i < fixed.size(); ++i) rounds->body_sources.push_back({Source::fixed, i});
    rounds->body = backward_;

    std::vector<Tensor> inputs, outputs, filled;
    for (const size_t i : float_states_) inputs.push_back(state_[i]);
    for (const Tensor& t : sources_) inputs.push_back(t);
    for (const size_t i : watched_xs_) inputs.push_back(xs_[i]);
    for (const size_t i : float_states_) outputs.push_back(last[i]);
    for (const Tensor& t : ys)
      if (is_float(t.dtype())) outputs.push_back(t);
    const size_t states = float_states_.size();
    std::vector<TensorSpec> specs, arriving;
    for (const Tensor& t : inputs) specs.push_back(t.spec());
    for (const Tensor& t : outputs) arriving.push_back(t.spec());
    const std::string text =
        fmt::format("  {}, {} rounds, gradient:\n{}", code_.op, code_.count, backward_->text);
    const GradientFunction gradient =
        [=, xs = xs_, op = std::string(code_.op)](std::span<const Tensor> incoming) -> Tensors {
      std::vector<Tensor> weights;
      for (size_t i = 0; i < arriving.size(); ++i)
        weights.push_back(incoming[i] ? incoming[i]
                                      : ops::zeros(arriving[i].shape, arriving[i].dtype));
      const auto middle = weights.begin() + static_cast<std::ptrdiff_t>(states);
      std::vector<Tensor> all(weights.begin(), middle);
      for (size_t i = states; i < rounds->states; ++i)
        all.push_back(ops::zeros(specs[i].shape, specs[i].dtype));
      all.insert(all.end(), kept.begin(), kept.end() - 1);
      all.insert(all.end(), xs.begin(), xs.end());
      all.insert(all.end(), middle, weights.end());
      all.insert(all.end(), fixed.begin(), fixed.end());
      all.push_back(kept.back());
      for (Tensor& t : all)
        if (t.is_weak()) t = Tensor::copy_of(t.data(), t.shape(), t.dtype());
      const Tensors results =
          apply_steps([rounds](std::span<const Tensor> in,
                               std::span<const Tensor> out) { rounds->run(in, out); },
                      all, specs, text);
      forbid_gradient(all, results, op);
      return results;
    };
    apply_custom(inputs, outputs, gradient);
  }

  const LoopCode& code_;
  std::vector<Tensor> state_, xs_;
  std::shared_ptr<Part> body_, test_, backward_;
  Nest carry_, ys_;
  std::vector<TensorSpec> collected_;
  std::vector<Changed> changed_;
  bool taped_ = false;
  std::vector<size_t> float_states_, watched_xs_;
  std::vector<Tensor> sources_;  // what was captured and has a gradient
  std::string why_;
};

}  // namespace

std::optional<Scanned> record_loop(const LoopCode& code, std::string* why) {
  LoopRecorder recorder(code);
  std::optional<Scanned> result = recorder.run();
  if (why) *why = recorder.why();
  return result;
}

}  // namespace cornu::ops::control
