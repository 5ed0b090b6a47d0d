// Recording a function of one element, and giving each of its kernels one more axis.
#include "batching.h"

#include <algorithm>

#include "../dispatch/apply.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "recorded_part.h"

namespace cornu::ops::control {
namespace {

// Strides of copies and programs are kept inline for so many axes.
constexpr int most_axes = 6;

Shape with_first(int64_t count, int ones, const Shape& shape) {
  Shape result{count};
  for (int i = 0; i < ones; ++i) result.push_back(1);
  for (const int64_t size : shape) result.push_back(size);
  return result;
}

// A step for all elements.
struct Lifted {
  backend::Kernel kernel;
  std::vector<Shape> inputs, outputs;
};

// The rules. `on(i)` says whether input i differs from element to element; operands that do get a
// first axis of `count`, and false means that the kernel has no rule for these.
class Lift {
 public:
  Lift(const plan::Step& step, const std::vector<char>& on, int64_t count)
      : step_(step), on_(on), count_(count) {}

  std::optional<Lifted> run() {
    Lifted lifted{*step_.kernel, {}, {}};
    for (const plan::Use& use : step_.outputs) {
      if (use.shape.rank() + 1 > most_axes) return {};
      lifted.outputs.push_back(with_first(count_, 0, use.shape));
    }
    lifted_ = &lifted;
    if (!std::visit([&](auto& kernel) { return rule(kernel); }, lifted.kernel)) return {};
    return lifted;
  }

 private:
  bool on(size_t i) const { return on_[i] != 0; }
  const Shape& input(size_t i) const { return step_.inputs[i].shape; }
  bool only_first() const {
    return on(0) && std::none_of(on_.begin() + 1, on_.end(), [](char c) { return c != 0; });
  }
  bool all() const {
    return std::all_of(on_.begin(), on_.end(), [](char c) { return c != 0; });
  }

  // Operands that broadcast to `rank` axes.
  bool align(int rank) {
    if (rank + 1 > most_axes) return false;
    for (size_t i = 0; i < step_.inputs.size(); ++i) {
      const Shape& shape = input(i);
      // Axes of size 1 fill up the rank, so that the new axis lines up with that of the others.
      lifted_->inputs.push_back(on(i) ? with_first(count_, rank - shape.rank(), shape) : shape);
    }
    return true;
  }
  bool natural() {
    for (size_t i = 0; i < step_.inputs.size(); ++i)
      lifted_->inputs.push_back(on(i) ? with_first(count_, 0, input(i)) : input(i));
    return true;
  }
  // Operands that are the same for all elements are repeated: such kernels take one batch.
  bool repeat() {
    for (size_t i = 0; i < step_.inputs.size(); ++i)
      lifted_->inputs.push_back(with_first(count_, 0, input(i)));
    return true;
  }
  // The elements go into the operands' own batch axis.
  bool merge() {
    const auto merged = [&](const Shape& shape) {
      Shape result = shape;
      result[0] *= count_;
      return result;
    };
    for (size_t i = 0; i < step_.inputs.size(); ++i)
      lifted_->inputs.push_back(on(i) ? merged(input(i)) : input(i));
    for (size_t i = 0; i < step_.outputs.size(); ++i)
      lifted_->outputs[i] = merged(step_.outputs[i].shape);
    return true;
  }

  template <class Kernel>
  bool rule(Kernel&) {
    return false;
  }
  bool rule(backend::Fused&) { return align(step_.outputs[0].shape.rank()); }
  bool rule(backend::Reduce& k) {
    const bool finds = k.op == backend::ReduceOp::argmax || k.op == backend::ReduceOp::argmin;
    // argmax over all axes numbers the elements of the whole array.
    if (finds && k.axes.size() != 1) return false;
    const int rank = k.shape.rank();
    k.shape = with_first(count_, 0, k.shape);
    for (int& axis : k.axes) ++axis;
    return align(rank);
  }
  bool rule(backend::Matmul& k) {
    // A bias per element would need an axis that the kernel's operand does not have.
    return !(k.bias && on(2)) && align(step_.outputs[0].shape.rank()) && bias_as_it_was(k);
  }
  bool bias_as_it_was(const backend::Matmul& k) {
    if (k.bias) lifted_->inputs[2] = input(2);
    return true;
  }
  bool rule(backend::Softmax&) { return natural(); }
  bool rule(backend::Fft&) { return all() && natural(); }
  bool rule(backend::Sort&) { return natural(); }
  bool rule(backend::Linalg&) { return repeat(); }
  bool rule(backend::Cumulative& k) {
    ++k.axis;
    return natural();
  }
  bool rule(backend::Copy& k) {
    if (k.shape.rank() + 1 > most_axes) return false;
    for (size_t p = 0; p < k.parts.size(); ++p) {
      auto& part = k.parts[p];
      if (part.sizes.rank() + 1 > most_axes) return false;
      const auto lift = [](backend::View& view, int64_t stride) {
        InlineVector<int64_t, 6> strides;
        strides.push_back(stride);
        for (const int64_t s : view.strides) strides.push_back(s);
        view.strides = strides;
      };
      // A stride of 0 reads the same operand for each element.
      lift(part.from, on(p) ? input(p).numel() : 0);
      lift(part.to, k.shape.numel());
      part.sizes = with_first(count_, 0, part.sizes);
    }
    k.shape = with_first(count_, 0, k.shape);
    return natural();
  }
  bool rule(backend::Gather& k) {
    // One table, many indices: a gather whose indices have one axis more.
    if (!on(0) && on(1) && !k.along && k.axis == 0) return natural();
    if (on(0) && on(1) == k.along) {
      ++k.axis;
      return natural();
    }
    return false;
  }
  bool rule(backend::Normalize& k) {
    // Rows are normalized one by one; statistics over channels would mix the elements.
    return !k.channels && !k.backward && only_first() && natural();
  }
  bool rule(backend::Conv& k) {
    return k.pass == backend::ConvPass::forward && only_first() && merge();
  }
  bool rule(backend::Pool& k) { return !k.backward && merge(); }
  bool rule(backend::Attention& k) { return !k.mask && !k.backward && all() && merge(); }

  const plan::Step& step_;
  const std::vector<char>& on_;
  const int64_t count_;
  Lifted* lifted_ = nullptr;
};

Tensor shaped(const Tensor& t, const Shape& shape) {
  if (t.size() != shape.numel()) return ops::broadcast_to(t, shape);
  return t.shape() == shape ? t : apply_reshape(t, shape);
}

}  // namespace

std::optional<Nest> batched(const std::function<Nest(const Nest&)>& f, const Nest& xs,
                            int64_t count) {
  std::vector<Tensor> given;
  const std::vector<Tensor> sources = leaves(xs);
  for (const Tensor& t : sources) {
    Shape shape;
    for (int axis = 1; axis < t.rank(); ++axis) shape.push_back(t.shape()[axis]);
    given.push_back(Tensor::meta(shape, t.dtype(), t.device().backend()));
  }
  std::optional<Part> part;
  const bool was_dry = graph_context().dry;
  try {
    // `f` is called on slices that do not exist.
    graph_context().dry = true;  // so that nothing is ever computed
    part.emplace(given, [&] { return f(packed(xs, given)); });
  } catch (const NeedsValues&) {
  } catch (...) {
    graph_context().dry = was_dry;
    throw;
  }
  graph_context().dry = was_dry;
  // Assignments would have to happen once per element, in order.
  if (!part || !part->host_read().empty() || !part->recording->changed().empty()) return {};
  for (const Tensor& t : part->results)
    if (!t) return {};
  const plan::Graph graph = part->recording->finish(part->results);

  // Which values differ from element to element, and what is done for all of them.
  std::vector<char> differs(graph.values.size(), 0);
  for (size_t v = 0; v < graph.values.size(); ++v)
    differs[v] = graph.values[v].source == plan::Source::argument &&
                 graph.values[v].index < static_cast<int>(given.size());
  std::vector<std::optional<Lifted>> lifted;
  for (const plan::Step& step : graph.steps) {
    if (!step.kernel) return {};
    std::vector<char> on;
    bool any = false;
    for (const plan::Use& use : step.inputs) {
      on.push_back(differs[static_cast<size_t>(use.value)]);
      any |= on.back() != 0;
    }
    lifted.emplace_back();
    if (!any) continue;
    lifted.back() = Lift(step, on, count).run();
    // Nothing has been computed yet, so the caller can still go element by element.
    if (!lifted.back()) return {};
    for (const plan::Use& use : step.outputs) differs[static_cast<size_t>(use.value)] = 1;
  }

  std::vector<Tensor> values(graph.values.size());
  for (size_t v = 0; v < values.size(); ++v) {
    // What nothing needs has no place any more.
    if (graph.values[v].index < 0) continue;
    const auto index = static_cast<size_t>(graph.values[v].index);
    if (graph.values[v].source == plan::Source::constant)
      values[v] = graph.constant(graph.values[v].index);
    if (graph.values[v].source == plan::Source::argument)
      values[v] = index < given.size() ? sources[index] : part->captured()[index - given.size()];
  }
  for (size_t i = 0; i < graph.steps.size(); ++i) {
    const plan::Step& step = graph.steps[i];
    Tensors inputs;
    std::vector<TensorSpec> specs;
    for (size_t k = 0; k < step.inputs.size(); ++k)
      inputs.push_back(shaped(values[static_cast<size_t>(step.inputs[k].value)],
                              lifted[i] ? lifted[i]->inputs[k] : step.inputs[k].shape));
    for (size_t k = 0; k < step.outputs.size(); ++k)
      specs.push_back({lifted[i] ? lifted[i]->outputs[k] : step.outputs[k].shape,
                       graph.values[static_cast<size_t>(step.outputs[k].value)].dtype});
    const Tensors results = apply(lifted[i] ? lifted[i]->kernel : *step.kernel, inputs, specs);
    for (size_t k = 0; k < step.outputs.size(); ++k)
      values[static_cast<size_t>(step.outputs[k].value)] = results[k];
  }
  std::vector<Tensor> results;
  for (const plan::Use& use : graph.outputs) {
    const auto v = static_cast<size_t>(use.value);
    const Shape shape = with_first(count, 0, use.shape);
    results.push_back(differs[v] ? shaped(values[v], shape)
                                 : ops::broadcast_to(shaped(values[v], use.shape), shape));
  }
  return packed(part->result, results);
}

}  // namespace cornu::ops::control
