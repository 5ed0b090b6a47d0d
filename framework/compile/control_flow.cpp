// Control flow: plain C++ in eager code, plans for the parts while a function is recorded.
#include "control_flow.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "../autodiff/tape.h"
#include "../dispatch/apply.h"
#include "../dispatch/node.h"
#include "../ops/core/cast.h"
#include "../ops/core/slices.h"
#include "../ops/numpy/arithmetic.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/indexing.h"
#include "../ops/numpy/joining.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "batching.h"
#include "recorded_loop.h"
#include "recorded_part.h"

namespace cornu::detail {

void throw_variable_count(size_t expected, const Nest& loop_vars) {
  throw ValueError(fmt::format("while_loop: its functions take {} loop variables, found {}.",
                               expected, loop_vars.structure()));
}

}  // namespace cornu::detail

namespace cornu::ops {
namespace {

using control::check_same;
using control::leaves;
using control::packed;
using control::Part;
using plan::PartRecording;

// Shorter loops are recorded round by round: their steps can be fused with each other.
constexpr int64_t longest_unrolled = 4;

bool recording() { return graph_context().tracer != nullptr; }

std::vector<Variable> changed_by(const std::vector<Part>& parts) {
  std::vector<Variable> variables;
  for (const Part& part : parts)
    for (const PartRecording::Changed& c : part.recording->changed())
      if (std::find(variables.begin(), variables.end(), c.variable) == variables.end())
        variables.push_back(c.variable);
  return variables;
}

using Branches = std::vector<std::function<Nest()>>;

int64_t choose(const Tensor& index, size_t count) {
  // The decision is part of the step in a replay, so reading it now is no reason to give up.
  const PauseTracing untraced;
  const double number = index.item();
  return static_cast<int64_t>(std::clamp(number, 0.0, static_cast<double>(count - 1)));
}

// A step that runs one of the parts: its inputs are the index, the `given`, and what each captured.
Tensors choose_part(const Tensor& index, const std::vector<Tensor>& given,
                    std::shared_ptr<std::vector<Part>> parts, const std::vector<TensorSpec>& specs,
                    const std::string& text) {
  std::vector<Tensor> inputs = {index};
  inputs.insert(inputs.end(), given.begin(), given.end());
  for (const Part& part : *parts)
    inputs.insert(inputs.end(), part.captured().begin(), part.captured().end());
  const HostFunction f = [parts, count = given.size()](std::span<const Tensor> in,
                                                       std::span<const Tensor> out) {
    const auto chosen = static_cast<size_t>(choose(in[0], parts->size()));
    size_t first = 1 + count;
    // The captured tensors of all branches are inputs: which branch runs is not known before.
    for (size_t i = 0; i < chosen; ++i) first += (*parts)[i].captured().size();
    const Part& part = (*parts)[chosen];
    std::vector<const Tensor*> arguments;
    for (size_t i = 0; i < count; ++i) arguments.push_back(&in[1 + i]);
    for (size_t i = 0; i < part.captured().size(); ++i) arguments.push_back(&in[first + i]);
    part.plan->run_into(arguments, out);
  };
  return apply_steps(f, inputs, specs, text);
}

// The gradients of what the branches captured: again a choice. They are recorded at once, since
// what the branches refer to may be gone later.
GradientFunction switch_gradient(const Tensor& index, const Branches& branches,
                                 const std::vector<Tensor>& captured, const Nest& like,
                                 const char* op) {
  std::vector<TensorSpec> arriving, specs;
  std::vector<size_t> places;
  const std::vector<Tensor> results = leaves(like);
  for (size_t i = 0; i < results.size(); ++i)
    if (is_float(results[i].dtype())) {
      places.push_back(i);
      arriving.push_back(results[i].spec());
    }
  for (const Tensor& t : captured) specs.push_back(t.spec());
  auto parts = std::make_shared<std::vector<Part>>();
  std::string text;
  for (const auto& branch : branches) {
    std::vector<Tensor> weights;
    for (const TensorSpec& s : arriving) weights.push_back(control::stand_in(s));
    Part& part = parts->emplace_back(weights, [&] {
      GradientTape tape;
      for (const Tensor& t : captured) tape.watch(t);
      const std::vector<Tensor> outputs = leaves(branch());
      std::vector<Tensor> targets;
      for (const size_t i : places) targets.push_back(outputs[i]);
      std::vector<Tensor> gradients = tape.gradient(targets, captured, weights);
      for (size_t i = 0; i < gradients.size(); ++i)
        // Every branch must give the same outputs, those too that it does not depend on.
        if (!gradients[i]) gradients[i] = ops::zeros(captured[i].shape(), captured[i].dtype());
      return Nest(gradients);
    });
    part.finish(part.results);
    text += fmt::format("  {} {}, gradient:\n{}", op, parts->size() - 1, part.text);
  }
  return [=, op = std::string(op)](std::span<const Tensor> incoming) -> Tensors {
    std::vector<Tensor> weights;
    for (size_t i = 0; i < places.size(); ++i)
      weights.push_back(incoming[places[i]] ? incoming[places[i]]
                                            : ops::zeros(arriving[i].shape, arriving[i].dtype));
    const Tensors gradients = choose_part(index, weights, parts, specs, text);
    control::forbid_gradient(weights, gradients, op);
    control::forbid_gradient(captured, gradients, op);
    return gradients;
  };
}

Nest recorded_switch(const Tensor& index, const Branches& branches, const char* op) {
  auto parts = std::make_shared<std::vector<Part>>();
  const auto eagerly = [&](const std::string& why) {
    graph_context().tracer->give_up(why);
    return branches[static_cast<size_t>(choose(index, branches.size()))]();
  };
  // All branches are recorded, whichever is taken now: a replay may take another.
  for (const auto& branch : branches) {
    parts->emplace_back(std::vector<Tensor>{}, branch);
    if (const std::string why = parts->back().host_read(); !why.empty()) return eagerly(why);
    check_same(parts->front().result, parts->back().result, op);
  }
  const std::vector<Variable> variables = changed_by(*parts);
  const bool taped = !graph_context().recorders.empty();
  // Running a branch again for its gradient would assign twice.
  if (taped && !variables.empty())
    return eagerly(fmt::format("ops::{} assigns variables under a GradientTape", op));
  if (graph_context().recorders.size() > 1)
    return eagerly(fmt::format("ops::{} under several GradientTapes", op));
  std::string text;
  std::vector<Tensor> captured;
  std::vector<TensorSpec> specs;
  for (Part& part : *parts) {
    std::vector<Tensor> outputs = part.results;
    for (const Variable& v : variables) outputs.push_back(part.after(v));
    if (specs.empty())
      for (const Tensor& t : outputs) specs.push_back(t.spec());
    part.finish(outputs);
    text += fmt::format("  {} {}:\n{}", op, &part - parts->data(), part.text);
    // Open tapes watch what the branches read.
    for (const Variable& v : part.recording->variables()) (void)v.value();
    for (const Tensor& t : part.captured()) {
      const bool known = std::any_of(captured.begin(), captured.end(), [&](const Tensor& c) {
        return c.impl()->key == t.impl()->key;
      });
      if (control::watched(t) && !known) captured.push_back(t);
    }
  }
  const Tensors outputs = choose_part(index, {}, parts, specs, text);
  const size_t results = parts->front().results.size();
  const Nest& like = parts->front().result;
  if (taped && !captured.empty())
    apply_custom(captured, std::span(outputs.begin(), results),
                 switch_gradient(index, branches, captured, like, op));
  for (size_t i = 0; i < variables.size(); ++i) Variable(variables[i]).assign(outputs[results + i]);
  return packed(like, {outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(results)});
}

Nest switch_between(const Tensor& index, const Branches& branches, const char* op) {
  if (branches.empty()) throw ValueError(fmt::format("{}: there are no branches.", op));
  if (index.shape().numel() != 1 && index.shape().known())
    throw ShapeError(fmt::format("{}: expected a scalar to choose by, found shape {}.", op,
                                 index.shape().str()));
  // A stand-in has no value: all branches have the same specs.
  if (!index.is_eager()) {
    const Nest first = branches[0]();
    for (size_t i = 1; i < branches.size(); ++i) check_same(first, branches[i](), op);
    return first;
  }
  if (!graph_context().tracer)
    return branches[static_cast<size_t>(choose(index, branches.size()))]();
  return recorded_switch(index, branches, op);
}

int64_t count_of(const Nest& xs, const char* op) {
  int64_t count = -1;
  for (const Tensor& t : leaves(xs)) {
    if (t.rank() == 0)
      throw ShapeError(fmt::format("{}: expected tensors with a first axis, found a scalar.", op));
    if (t.shape()[0] == Shape::unknown)
      throw ShapeError(fmt::format(
          "{}: the first axis of shape {} has no known size, so there is no number of rounds. Call "
          "it inside of a layer, where sizes are those of the data.",
          op, t.shape().str()));
    if (count >= 0 && t.shape()[0] != count)
      throw ShapeError(
          fmt::format("{}: the first axes have {} and {} elements.", op, count, t.shape()[0]));
    count = t.shape()[0];
  }
  return count;
}

Nest stack_all(const std::vector<Nest>& parts) {
  if (parts.empty() || parts[0].empty()) return {};
  std::vector<std::vector<Tensor>> columns;
  for (const Nest& part : parts) {
    const std::vector<Tensor> row = leaves(part);
    columns.resize(row.size());
    for (size_t i = 0; i < row.size(); ++i) columns[i].push_back(row[i]);
  }
  std::vector<Tensor> stacked;
  for (const auto& column : columns) stacked.push_back(ops::stack(column, 0));
  return parts[0].pack(stacked);
}

Nest slice_of(const Nest& xs, int64_t i) {
  return xs.map([&](const Tensor& t) { return t[i]; });
}

}  // namespace

Nest cond(const Tensor& pred, const std::function<Nest()>& true_fn,
          const std::function<Nest()>& false_fn) {
  return switch_between(ops::cast(ops::cast(pred, DType::boolean), DType::int32),
                        {false_fn, true_fn}, "cond");
}

Nest switch_case(const Tensor& index, const std::vector<std::function<Nest(const Nest&)>>& branches,
                 const Nest& operands) {
  Branches bound;
  for (const auto& branch : branches)
    bound.push_back([branch, operands] { return branch(operands); });
  return switch_between(index, bound, "switch");
}

namespace {

// Throws ShapeError unless the body of while_loop gives what it takes.
void check_shapes(const Nest& before, const Nest& after) {
  if (!before.same_structure(after))
    throw ShapeError(fmt::format("while_loop: the body takes {} and gives {}.", before.structure(),
                                 after.structure()));
  const std::vector<Tensor> x = leaves(before), y = leaves(after);
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i].shape() != y[i].shape())
      throw ShapeError(
          fmt::format("while_loop: the body gives loop variable {} the shape {}, it had {}. Loop "
                      "variables must "
                      "keep their shapes.",
                      i, y[i].shape().str(), x[i].shape().str()));
}

}  // namespace

Nest while_loop(const std::function<Tensor(const Nest&)>& cond,
                const std::function<Nest(const Nest&)>& body, const Nest& loop_vars,
                std::optional<int64_t> maximum_iterations) {
  // A negative limit is no round, as in Keras; record_loop's number for no bound is negative.
  if (maximum_iterations) maximum_iterations = std::max<int64_t>(*maximum_iterations, 0);
  const int64_t limit = maximum_iterations.value_or(std::numeric_limits<int64_t>::max());
  const auto holds = [](const Tensor& t) {
    const PauseTracing untraced;
    return t.item() != 0;
  };
  Nest state = loop_vars;
  for (const Tensor& t : leaves(loop_vars))
    if (!t.is_eager()) {
      const Nest after = body(state);
      check_same(state, after, "while_loop");
      return after;
    }
  if (recording()) {
    // A number written in C++ becomes a tensor, which the loop changes.
    state = loop_vars.map([](const Tensor& t) {
      return t.is_weak() ? Tensor::copy_of(t.data(), t.shape(), t.dtype()) : t;
    });
    const auto round = [&](const Nest& s, const Nest&) { return Scanned{body(s), {}}; };
    std::string why;
    const auto looped = control::record_loop(
        {"while_loop", round, cond, state, {}, maximum_iterations.value_or(-1)}, &why);
    if (looped) return looped->carry;
    graph_context().tracer->give_up(why);
    state = loop_vars;
  }
  for (int64_t i = 0; i < limit && holds(cond(state)); ++i) {
    Nest after = body(state);
    check_shapes(state, after);
    state = std::move(after);
  }
  return state;
}

namespace {

// The number of a round of a counting loop.
Tensor counter(int64_t i) {
  // Keras's counters are int32 on the JAX backend, which promotion of dtypes shows.
  const auto index = static_cast<int32_t>(i);
  return Tensor::from_host(&index, {});
}

Nest part_along(const Nest& nest, int along, int64_t begin, int64_t end) {
  Value::List key(static_cast<size_t>(along), Value(Slice{}));
  key.push_back(Slice{begin, end});
  return nest.map([&](const Tensor& t) { return ops::get_item(t, key); });
}

bool all_eager(const Nest& nest) {
  const std::vector<Tensor> all = leaves(nest);
  return std::all_of(all.begin(), all.end(), [](const Tensor& t) { return t && t.is_eager(); });
}

// What no round at all collects: results of the shapes that a round's have, in their number of 0.
// Empty where a round needs values to tell.
Nest of_no_round(const std::function<Scanned(const Nest&, const Nest&)>& f, const Nest& init,
                 const Nest& xs) {
  const Nest x = xs.map([](const Tensor& t) {
    return t ? Tensor::abstract(t.shape().slice(1, t.rank()), t.dtype()) : t;
  });
  try {
    return infer_outputs({{Value(init), Value(x)}, {}},
                         [&](const Arguments& a) {
                           return f(a.positional[0].nest(), a.positional[1].nest()).ys;
                         })
        .map([](const Tensor& y) {
          if (!y) return y;
          Shape shape{0};
          for (const int64_t size : y.shape()) shape.push_back(size);
          return ops::zeros(shape, y.dtype());
        });
  } catch (const NeedsValues&) {
    return {};
  }
}

// carry, y = f(carry, x) in `count` rounds. While a function is recorded they are one step, if need
// be after a first round of its own: from a number written in C++ it makes a state that lasts.
// `slice` gives the x of a round that runs by itself. No more than `longest` rounds are no loop.
Scanned rounds_of(const char* op, const std::function<Scanned(const Nest&, const Nest&)>& f,
                  const Nest& init, const Nest& xs, int64_t count, bool reverse,
                  const std::function<Nest(int64_t)>& slice, int64_t longest = longest_unrolled) {
  Scanned result{init, {}};
  if (count == 0) {
    result.ys = of_no_round(f, init, xs);
    return result;
  }
  std::vector<Nest> ys(static_cast<size_t>(count));
  const auto round = [&](int64_t i) {
    Scanned step = f(result.carry, slice(i));
    result.carry = std::move(step.carry);
    ys[static_cast<size_t>(i)] = std::move(step.ys);
  };
  // During shape inference there is nothing to record.
  const bool one_step = recording() && all_eager(init) && all_eager(xs);
  for (int64_t n = 0; n < count; ++n) {
    const int64_t left = count - n;
    // A first round by itself may turn weak scalars of the state into tensors, after which the loop
    // can be one step; if not then, it never can.
    if (one_step && n < 2 && left > longest) {
      const int64_t begin = reverse ? 0 : n;
      const Nest rest = n == 0 || xs.empty() ? xs : part_along(xs, 0, begin, begin + left);
      if (auto looped = control::record_loop({op, f, {}, result.carry, rest, left, reverse})) {
        if (n == 0 || looped->ys.empty()) return *looped;
        const std::vector<Tensor> first =
            leaves(stack_all({ys[static_cast<size_t>(reverse ? count - 1 : 0)]}));
        std::vector<Tensor> joined = leaves(looped->ys);
        for (size_t i = 0; i < joined.size(); ++i)
          joined[i] = reverse ? ops::concatenate({joined[i], first[i]}, 0)
                              : ops::concatenate({first[i], joined[i]}, 0);
        looped->ys = looped->ys.pack(joined);
        return *looped;
      }
    }
    round(reverse ? count - 1 - n : n);
  }
  result.ys = stack_all(ys);
  return result;
}

}  // namespace

Nest fori_loop(int64_t lower, int64_t upper,
               const std::function<Nest(const Tensor&, const Nest&)>& body, const Nest& init) {
  const int64_t count = std::max<int64_t>(upper - lower, 0);
  if (recording() && count > longest_unrolled) {
    std::vector<int32_t> numbers(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i)
      numbers[static_cast<size_t>(i)] = static_cast<int32_t>(lower + i);
    const auto round = [&](const Nest& state, const Nest& i) {
      return Scanned{body(i.tensor(), state), {}};
    };
    return rounds_of("fori_loop", round, init, Nest(Tensor(numbers)), count, false,
                     [&](int64_t i) { return Nest(counter(lower + i)); })
        .carry;
  }
  Nest state = init;
  for (int64_t i = lower; i < upper; ++i) state = body(counter(i), state);
  return state;
}

Nest fori_loop(const Tensor& lower, const Tensor& upper,
               const std::function<Nest(const Tensor&, const Nest&)>& body, const Nest& init) {
  const Nest begin = Nest::List{Nest(ops::cast(lower, DType::int32)), init};
  return while_loop([&](const Nest& s) { return s[0].tensor() < ops::cast(upper, DType::int32); },
                    [&](const Nest& s) -> Nest {
                      return Nest::List{Nest(s[0].tensor() + 1), body(s[0].tensor(), s[1])};
                    },
                    begin)[1];
}

Unroll::Unroll(int64_t rounds, bool flag) : rounds_(flag ? 1 : rounds), all_(flag && rounds != 0) {
  if (rounds_ < 1)
    throw ValueError(fmt::format(
        "scan: unroll must be at least 1, or true for all rounds or false for none, found {}.",
        rounds));
}

namespace {

using Step = std::function<Scanned(const Nest&, const Nest&)>;

constexpr int64_t all_rounds = std::numeric_limits<int64_t>::max();

// The rounds of a scan, each with its slice of xs.
Scanned scan_rounds(const Step& f, const Nest& init, const Nest& xs, int64_t count, bool reverse,
                    int64_t longest) {
  const auto slice = [&](int64_t i) { return xs.empty() ? Nest() : slice_of(xs, i); };
  return rounds_of("scan", f, init, xs, count, reverse, slice, longest);
}

// Each tensor with other sizes in place of its first `axes`.
Nest regrouped(const Nest& nest, int axes, const Shape& sizes) {
  return nest.map([&](const Tensor& t) {
    if (!t) return t;
    Shape shape = sizes;
    for (int axis = axes; axis < t.rank(); ++axis) shape.push_back(t.shape()[axis]);
    return ops::reshape(t, shape);
  });
}

Nest joined_rounds(const Nest& a, const Nest& b) {
  const std::vector<Tensor> x = leaves(a), y = leaves(b);
  std::vector<Tensor> joined;
  for (size_t i = 0; i < x.size(); ++i) joined.push_back(ops::concatenate({x[i], y[i]}, 0));
  return a.empty() ? b : a.pack(joined);
}

// A scan whose loop does `size` rounds at a time; those that are left over come last.
Scanned scan_in_groups(const Step& f, const Nest& init, const Nest& xs, int64_t count, bool reverse,
                       int64_t size) {
  const int64_t groups = count / size, whole = groups * size, rest = count - whole;
  const auto part = [&](int64_t begin, int64_t end) {
    return xs.empty() ? Nest() : part_along(xs, 0, begin, end);
  };
  const Step group = [&](const Nest& carry, const Nest& x) {
    return scan_rounds(f, carry, x, size, reverse, all_rounds);
  };
  const int64_t begin = reverse ? rest : 0;
  const Nest grouped = regrouped(part(begin, begin + whole), 1, {groups, size});
  Scanned first = scan_rounds(group, init, grouped, groups, reverse, longest_unrolled);
  first.ys = regrouped(first.ys, 2, {whole});
  if (rest == 0) return first;
  const Scanned last = scan_rounds(f, first.carry, reverse ? part(0, rest) : part(whole, count),
                                   rest, reverse, all_rounds);
  return {last.carry,
          reverse ? joined_rounds(last.ys, first.ys) : joined_rounds(first.ys, last.ys)};
}

}  // namespace

Scanned scan(const std::function<Scanned(const Nest&, const Nest&)>& f, const Nest& init,
             const Nest& xs, std::optional<int64_t> length, bool reverse, const Unroll& unroll) {
  const int64_t from_xs = count_of(xs, "scan");
  if (from_xs < 0 && !length) throw ValueError("scan: needs xs or length.");
  if (length && *length < 0)
    throw ValueError(fmt::format("scan: length must be at least 0, found {}.", *length));
  if (from_xs >= 0 && length && *length != from_xs)
    throw ValueError(fmt::format("scan: length is {}, but xs has {} elements.", *length, from_xs));
  const int64_t count = length.value_or(from_xs);
  if (unroll.rounds() > 1 && count > unroll.rounds() && recording() && all_eager(init) &&
      all_eager(xs))
    return scan_in_groups(f, init, xs, count, reverse, unroll.rounds());
  const bool whole = unroll.all() || count <= unroll.rounds();
  return scan_rounds(f, init, xs, count, reverse, whole ? all_rounds : longest_unrolled);
}

namespace {

Nest map_rounds(const char* op, const std::function<Nest(const Nest&)>& f, const Nest& xs) {
  const int64_t count = count_of(xs, op);
  if (count < 0) throw ValueError(fmt::format("{}: there are no elements.", op));
  return rounds_of(
             op,
             [&](const Nest&, const Nest& x) {
               return Scanned{{}, f(x)};
             },
             {}, xs, count, false, [&](int64_t i) { return slice_of(xs, i); })
      .ys;
}

}  // namespace

Nest map(const std::function<Nest(const Nest&)>& f, const Nest& xs) {
  return map_rounds("map", f, xs);
}

Nest vectorized_map(const std::function<Nest(const Nest&)>& f, const Nest& elements) {
  const int64_t count = count_of(elements, "vectorized_map");
  // A tape is to see gradients of the function's own, which kernels do not show.
  if (recording() && graph_context().recorders.empty() && count > 1 && all_eager(elements))
    if (auto result = control::batched(f, elements, count)) return *result;
  return map_rounds("vectorized_map", f, elements);
}

Nest associative_scan(const std::function<Nest(const Nest&, const Nest&)>& f, const Nest& elems,
                      bool reverse, int64_t axis) {
  const std::vector<Tensor> all = leaves(elems);
  if (all.empty()) throw ValueError("associative_scan: there are no elements.");
  const int along = normalize_axis(axis, all[0].rank());
  const int64_t count = all[0].shape()[along];
  Nest state = reverse ? elems.map([&](const Tensor& t) { return ops::flip(t, along); }) : elems;
  const auto part = [&](const Nest& nest, int64_t begin, int64_t end) {
    return part_along(nest, along, begin, end);
  };
  // After the round with `distance`, each element combines up to 2 * distance of those before it.
  for (int64_t distance = 1; distance < count; distance *= 2) {
    const Nest combined = f(part(state, 0, count - distance), part(state, distance, count));
    const Nest head = part(state, 0, distance);
    const std::vector<Tensor> a = leaves(head), b = leaves(combined);
    std::vector<Tensor> joined;
    for (size_t i = 0; i < a.size(); ++i) joined.push_back(ops::concatenate({a[i], b[i]}, along));
    state = state.pack(joined);
  }
  return reverse ? state.map([&](const Tensor& t) { return ops::flip(t, along); }) : state;
}

Tensors callback(const std::function<void(std::span<const Tensor>, std::span<const Tensor>)>& f,
                 const std::vector<Tensor>& inputs, const std::vector<TensorSpec>& outputs) {
  return apply_host(f, inputs, outputs);
}

}  // namespace cornu::ops
