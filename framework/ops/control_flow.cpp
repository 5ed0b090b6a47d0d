// Control flow: plain C++ in eager code, plans for the parts while a function is recorded.
#include "control_flow.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "../graph/apply.h"
#include "../graph/plan/passes.h"
#include "../graph/plan/plan.h"
#include "../graph/plan/recording.h"
#include "../graph/tape.h"
#include "core.h"
#include "indexing.h"
#include "operators.h"
#include "shaping.h"

namespace cornu::ops {
namespace {

using plan::PartRecording;

std::vector<Tensor> leaves(const Nest& nest) {
  return nest.empty() ? std::vector<Tensor>{} : nest.flatten();
}

Nest disguised(const Nest& nest) {
  return nest.map([](const Tensor& t) {
    // Numbers written in C++ become tensors: a loop changes them.
    if (t && t.is_weak()) return Tensor::copy_of(t.data(), t.shape(), t.dtype());
    return t ? t.disguised() : t;
  });
}

// A part of a function, recorded: what it takes, what it gives, and how to run it.
struct Part {
  std::unique_ptr<PartRecording> recording;
  Nest result;
  std::vector<Tensor> results;
  std::unique_ptr<plan::Plan> plan;
  std::string text;
  size_t given = 0;

  template <class F>
  Part(const std::vector<Tensor>& arguments, F&& f) : given(arguments.size()) {
    Tracer* const outer = graph_context().tracer;
    PauseRecording unseen;
    recording = std::make_unique<PartRecording>(arguments);
    result = f();
    recording->stop();
    results = leaves(result);
    for (Tensor& t : results)
      if (t.is_weak()) t = Tensor::copy_of(t.data(), t.shape(), t.dtype());
    if (!recording->host_read().empty()) outer->give_up(recording->host_read());
  }

  // The value that a variable has after this part; what it had before if the part leaves it alone.
  Tensor after(const Variable& variable) const {
    for (const PartRecording::Changed& c : recording->changed())
      if (c.variable == variable) return c.after;
    graph_context().tracer->read(variable);
    return variable.stored();
  }

  void finish(const std::vector<Tensor>& outputs) {
    plan::Graph graph = recording->finish(outputs);
    text = graph.str();
    plan::optimize(graph);
    plan = std::make_unique<plan::Plan>(std::move(graph));
  }

  // Runs on the arguments (given, then captured).
  std::vector<Tensor> run(std::span<const Tensor> arguments) const {
    std::vector<const Tensor*> pointers;
    for (const Tensor& t : arguments) pointers.push_back(&t);
    std::vector<Tensor> outputs(plan->graph().outputs.size());
    plan->run(pointers, outputs);
    return outputs;
  }
};

void check_same(const Nest& a, const Nest& b, const char* op) {
  if (!a.same_structure(b))
    throw ShapeError(fmt::format("{}: the branches give different structures: {} and {}.", op,
                                 a.structure(), b.structure()));
  const std::vector<Tensor> x = leaves(a), y = leaves(b);
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i].spec() != y[i].spec())
      throw ShapeError(fmt::format(
          "{}: output {} is {} in one branch and {} in another. All must give the same.", op, i,
          x[i].spec().str(), y[i].spec().str()));
}

void fill(std::span<const Tensor> targets, const std::vector<Tensor>& values) {
  for (size_t i = 0; i < targets.size(); ++i)
    std::memcpy(targets[i].data(), values[i].data(), targets[i].bytes());
}

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
  const PauseTracing untraced;
  const double number = index.item();
  return static_cast<int64_t>(std::clamp(number, 0.0, static_cast<double>(count - 1)));
}

Nest recorded_switch(const Tensor& index, const Branches& branches, const char* op);

// The gradients of what the branches captured: again a choice, in which the chosen branch runs
// under a tape.
GradientFunction switch_gradient(const Tensor& index, const Branches& branches,
                                 std::vector<Tensor> captured, const char* op) {
  return [=](std::span<const Tensor> incoming) -> Tensors {
    const std::vector<Tensor> arriving(incoming.begin(), incoming.end());
    Branches backward;
    for (const auto& branch : branches)
      backward.push_back([=] {
        GradientTape tape;
        for (const Tensor& t : captured) tape.watch(t);
        const std::vector<Tensor> outputs = leaves(branch());
        std::vector<Tensor> targets, weights;
        for (size_t i = 0; i < outputs.size() && i < arriving.size(); ++i)
          if (is_float(outputs[i].dtype()) && arriving[i]) {
            targets.push_back(outputs[i]);
            weights.push_back(arriving[i]);
          }
        std::vector<Tensor> gradients = tape.gradient(targets, captured, weights);
        for (size_t i = 0; i < gradients.size(); ++i)
          if (!gradients[i]) gradients[i] = captured[i] * 0.0;
        return Nest(gradients);
      });
    const std::vector<Tensor> gradients = leaves(
        graph_context().tracer ? recorded_switch(index, backward, op)
                               : backward[static_cast<size_t>(choose(index, branches.size()))]());
    return Tensors(gradients.begin(), gradients.end());
  };
}

Nest recorded_switch(const Tensor& index, const Branches& branches, const char* op) {
  auto parts = std::make_shared<std::vector<Part>>();
  for (const auto& branch : branches) {
    parts->emplace_back(std::vector<Tensor>{}, branch);
    check_same(parts->front().result, parts->back().result, op);
  }
  const std::vector<Variable> variables = changed_by(*parts);
  const bool taped = !graph_context().recorders.empty();
  if (taped && !variables.empty()) {
    // Running a branch again for its gradient would assign twice.
    graph_context().tracer->give_up(
        fmt::format("ops::{} assigns variables under a GradientTape", op));
    return branches[static_cast<size_t>(choose(index, branches.size()))]();
  }
  std::string text;
  std::vector<Tensor> inputs = {index}, captured;
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
    for (const Tensor& t : part.recording->captured()) {
      inputs.push_back(t);
      const bool known = std::any_of(captured.begin(), captured.end(), [&](const Tensor& c) {
        return c.impl()->key == t.impl()->key;
      });
      if (is_float(t.dtype()) && !known) captured.push_back(t);
    }
  }
  const HostFunction f = [parts](std::span<const Tensor> in, std::span<const Tensor> out) {
    const auto chosen = static_cast<size_t>(choose(in[0], parts->size()));
    size_t first = 1;
    for (size_t i = 0; i < chosen; ++i) first += (*parts)[i].recording->captured().size();
    const Part& part = (*parts)[chosen];
    fill(out, part.run(in.subspan(first, part.recording->captured().size())));
  };
  const Tensors outputs = apply_host(f, inputs, specs, text);
  const size_t results = parts->front().results.size();
  if (taped)
    apply_custom(captured, std::span(outputs.begin(), results),
                 switch_gradient(index, branches, captured, op));
  for (size_t i = 0; i < variables.size(); ++i) Variable(variables[i]).assign(outputs[results + i]);
  return parts->front().result.empty()
             ? Nest()
             : parts->front().result.pack(
                   {outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(results)});
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

Nest while_loop(const std::function<Tensor(const Nest&)>& cond,
                const std::function<Nest(const Nest&)>& body, const Nest& loop_vars,
                std::optional<int64_t> maximum_iterations) {
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
  if (!graph_context().tracer) {
    for (int64_t i = 0; i < limit && holds(cond(state)); ++i) state = body(state);
    return state;
  }
  if (!graph_context().recorders.empty()) {
    graph_context().tracer->give_up("ops::while_loop under a GradientTape; use fori_loop or scan");
    for (int64_t i = 0; i < limit && holds(cond(state)); ++i) state = body(state);
    return state;
  }

  // Both parts take the loop's variables as arguments of an identity of their own.
  const Nest inside = disguised(loop_vars);
  const std::vector<Tensor> arguments = leaves(inside);
  auto parts = std::make_shared<std::vector<Part>>();
  parts->emplace_back(arguments, [&] { return Nest(cond(inside)); });
  parts->emplace_back(arguments, [&] { return body(inside); });
  check_same(inside, (*parts)[1].result, "while_loop");
  Part &test = (*parts)[0], &step = (*parts)[1];
  const std::vector<Variable> variables = changed_by(*parts);
  std::vector<Tensor> outputs = step.results;
  for (const Variable& v : variables) outputs.push_back(step.after(v));
  test.finish(test.results);
  step.finish(outputs);

  // Captured values of variables that the body assigns follow the assignments.
  const auto follow = [&](const Part& part) {
    std::vector<int> variable_of;
    for (const Tensor& t : part.recording->captured()) {
      int found = -1;
      for (size_t i = 0; i < variables.size(); ++i)
        if (variables[i].key() == t.impl()->key) found = static_cast<int>(i);
      variable_of.push_back(found);
    }
    return variable_of;
  };
  const std::vector<int> test_follows = follow(test), step_follows = follow(step);
  const size_t count = arguments.size(), tests = test_follows.size();
  const HostFunction f = [=](std::span<const Tensor> in, std::span<const Tensor> out) {
    std::vector<Tensor> now(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<Tensor> changed(in.end() - static_cast<std::ptrdiff_t>(variables.size()), in.end());
    const auto run = [&](const Part& part, size_t first, const std::vector<int>& follows) {
      std::vector<Tensor> all = now;
      for (size_t i = 0; i < follows.size(); ++i)
        all.push_back(follows[i] >= 0 ? changed[static_cast<size_t>(follows[i])] : in[first + i]);
      return part.run(all);
    };
    for (int64_t i = 0; i < limit; ++i) {
      if (run((*parts)[0], count, test_follows)[0].item() == 0) break;
      std::vector<Tensor> after = run((*parts)[1], count + tests, step_follows);
      changed.assign(after.begin() + static_cast<std::ptrdiff_t>(count), after.end());
      after.resize(count);
      now = std::move(after);
    }
    now.insert(now.end(), changed.begin(), changed.end());
    fill(out, now);
  };
  std::vector<Tensor> inputs;
  for (const Tensor& t : leaves(loop_vars))
    inputs.push_back(t.is_weak() ? Tensor::copy_of(t.data(), t.shape(), t.dtype()) : t);
  for (const Part& part : *parts)
    inputs.insert(inputs.end(), part.recording->captured().begin(),
                  part.recording->captured().end());
  std::vector<TensorSpec> specs;
  for (const Tensor& t : arguments) specs.push_back(t.spec());
  for (const Variable& v : variables) {
    inputs.push_back(v.value());
    specs.push_back(v.value().spec());
  }
  const Tensors results =
      apply_host(f, inputs, specs, "  while:\n" + test.text + "  do:\n" + step.text);
  for (size_t i = 0; i < variables.size(); ++i) Variable(variables[i]).assign(results[count + i]);
  return loop_vars.pack({results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count)});
}

Nest fori_loop(int64_t lower, int64_t upper,
               const std::function<Nest(const Tensor&, const Nest&)>& body, const Nest& init) {
  Nest state = init;
  for (int64_t i = lower; i < upper; ++i) {
    const int32_t index = static_cast<int32_t>(i);
    state = body(Tensor::from_host(&index, {}), state);
  }
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

Scanned scan(const std::function<Scanned(const Nest&, const Nest&)>& f, const Nest& init,
             const Nest& xs, std::optional<int64_t> length, bool reverse) {
  const int64_t from_xs = count_of(xs, "scan");
  if (from_xs < 0 && !length) throw ValueError("scan: needs xs or length.");
  if (from_xs >= 0 && length && *length != from_xs)
    throw ValueError(fmt::format("scan: length is {}, but xs has {} elements.", *length, from_xs));
  const int64_t count = length.value_or(from_xs);
  Scanned result{init, {}};
  std::vector<Nest> ys(static_cast<size_t>(count));
  for (int64_t n = 0; n < count; ++n) {
    const int64_t i = reverse ? count - 1 - n : n;
    Scanned step = f(result.carry, from_xs < 0 ? Nest() : slice_of(xs, i));
    result.carry = std::move(step.carry);
    ys[static_cast<size_t>(i)] = std::move(step.ys);
  }
  result.ys = stack_all(ys);
  return result;
}

Nest map(const std::function<Nest(const Nest&)>& f, const Nest& xs) {
  const int64_t count = count_of(xs, "map");
  std::vector<Nest> ys;
  for (int64_t i = 0; i < count; ++i) ys.push_back(f(slice_of(xs, i)));
  return stack_all(ys);
}

Nest vectorized_map(const std::function<Nest(const Nest&)>& f, const Nest& elements) {
  count_of(elements, "vectorized_map");
  return map(f, elements);
}

Nest associative_scan(const std::function<Nest(const Nest&, const Nest&)>& f, const Nest& elems,
                      bool reverse, int64_t axis) {
  const std::vector<Tensor> all = leaves(elems);
  if (all.empty()) throw ValueError("associative_scan: there are no elements.");
  const int along = normalize_axis(axis, all[0].rank());
  const int64_t count = all[0].shape()[along];
  Nest state = reverse ? elems.map([&](const Tensor& t) { return ops::flip(t, along); }) : elems;
  const auto part = [&](const Nest& nest, int64_t begin, int64_t end) {
    Value::List key(static_cast<size_t>(along), Value(Slice{}));
    key.push_back(Slice{begin, end});
    return nest.map([&](const Tensor& t) { return ops::get_item(t, key); });
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
