// Derivatives of elementwise programs and of reductions.
#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/apply.h"
#include "../../ops/core/cast.h"
#include "../../ops/detail/sum_to_shape.h"
#include "../../ops/elementwise.h"
#include "../../ops/numpy/creation.h"
#include "../../ops/numpy/indexing.h"
#include "../../ops/numpy/joining.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "../gradients.h"

namespace cornu {
namespace {

// Axes of `shape` (which `small` broadcasts to) over which small's gradient is summed.
InlineVector<int, 6> summed_axes(const Shape& small, const Shape& shape) {
  InlineVector<int, 6> axes;
  const int extra = shape.rank() - small.rank();
  for (int i = 0; i < shape.rank(); ++i)
    if (i < extra || (small[i - extra] == 1 && shape[i] != 1)) axes.push_back(i);
  return axes;
}

Shape kept_shape(const Shape& shape, const InlineVector<int, 6>& axes) {
  Shape kept;
  size_t next = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    if (next < axes.size() && axes[next] == i)
      ++next;
    else
      kept.push_back(shape[i]);
  }
  return kept;
}

// The operands that a derivative reads, and numbers in place of the others, whose values may be
// gone.
InlineVector<Tensor, 8> those_read(const backend::Program& derivative,
                                   std::span<const Tensor> operands) {
  InlineVector<Tensor, 8> result;
  for (size_t i = 0; i < operands.size(); ++i)
    result.push_back(derivative.reads(static_cast<int>(i)) ? operands[i] : Tensor(0.0));
  return result;
}

// Gradients of a program's inputs where its outputs have `shape`. `operands` are what the
// derivative program reads: inputs, outputs and output gradients.
Tensors program_gradients(const backend::Program& program, DType compute, const Shape& shape,
                          const Backprop& step, std::span<const Tensor> operands) {
  Tensors result(step.inputs.size());
  uint32_t together = 0;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (!step.wants(static_cast<int>(i)) || program.is_constant_in(static_cast<int>(i))) continue;
    const Tensor& input = step.inputs[i];
    if (input.shape() == shape) {
      // Gradients of inputs of the full shape come from one program, which shares what they have in
      // common and reads the operands once.
      together |= 1u << i;
      continue;
    }
    // The input was broadcast: its gradient is the sum over the axes it was repeated along.
    const backend::ProgramRef derivative = program.derivative(1u << i);
    // Derivative and sum in one kernel: the gradient before the sum, of the full shape, is never
    // stored.
    backend::Reduce kernel{
        derivative, compute, backend::ReduceOp::sum, summed_axes(input.shape(), shape), shape, 1};
    const Tensor sum = apply(kernel, those_read(*derivative, operands),
                             TensorSpec{kept_shape(shape, kernel.axes), input.dtype()});
    result[i] = sum.shape() == input.shape() ? sum : apply_reshape(sum, input.shape());
  }
  if (!together) return result;
  const backend::ProgramRef derivative = program.derivative(together);
  InlineVector<TensorSpec, 4> outputs;
  InlineVector<size_t, 4> places;
  int index = 0;
  bool passes = true;
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    if (!(together >> i & 1)) continue;
    // Additions, and the addend of a bias, end here.
    const int source = derivative->passes(index++);
    places.push_back(i);
    outputs.push_back({shape, step.inputs[i].dtype()});
    passes &= source >= 0 && operands[source].shape() == shape &&
              operands[source].dtype() == step.inputs[i].dtype();
  }
  if (passes) {
    // The gradient is just handed on (as by an addition): no kernel is needed.
    for (size_t k = 0; k < places.size(); ++k)
      result[places[k]] = operands[derivative->passes(static_cast<int>(k))];
    return result;
  }
  const Tensors gradients =
      apply(backend::Fused{derivative, compute}, those_read(*derivative, operands), outputs);
  for (size_t k = 0; k < places.size(); ++k) result[places[k]] = gradients[k];
  return result;
}

Tensor or_zero(const Tensor& t) { return t ? t : Tensor(0.0); }

// dy with the reduced axes back as axes of size 1.
Tensor with_axes(const Tensor& dy, const Shape& shape, const InlineVector<int, 6>& axes) {
  Shape kept = shape;
  for (int a : axes) kept[a] = 1;
  return apply_reshape(dy, kept);
}

}  // namespace

Tensors gradient(const backend::Fused& kernel, const Backprop& step) {
  InlineVector<Tensor, 8> operands(step.inputs);
  for (const Tensor& t : step.outputs) operands.push_back(t);
  for (const Tensor& t : step.gradients) operands.push_back(or_zero(t));
  return program_gradients(*kernel.program, kernel.compute, step.outputs[0].shape(), step,
                           operands);
}

Tensors gradient(const backend::Reduce& kernel, const Backprop& step) {
  using backend::ReduceOp;
  if (kernel.op == ReduceOp::argmax || kernel.op == ReduceOp::argmin) return {};
  // So that it broadcasts against the elements.
  const Tensor dy = with_axes(step.gradients[0], kernel.shape, kernel.axes);
  // The input that is reduced as it is: not always the first one, as in the gradient of an
  // addition.
  const int source = *kernel.program == *backend::program_of(backend::Opcode::identity)
                         ? 0
                         : kernel.program->passes(0);
  const bool identity = source >= 0;
  // The elements that were reduced, computed again if something asks for them.
  bool needed = kernel.op != ReduceOp::sum;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    if (step.wants(static_cast<int>(i)))
      needed |= kernel.program->derivative(1u << i)->reads(static_cast<int>(step.inputs.size()));
  const Tensor elements = identity || !needed
                              ? step.inputs[static_cast<size_t>(std::max(source, 0))]
                              : apply(backend::Fused{kernel.program, kernel.compute}, step.inputs,
                                      TensorSpec{kernel.shape, step.outputs[0].dtype()});
  Tensor d;
  if (kernel.op == ReduceOp::sum) {
    d = kernel.scale == 1 ? dy : dy * Tensor(kernel.scale);
  } else if (kernel.op == ReduceOp::product) {
    // The product of the others; with zeros in it that is not y / x.
    const std::vector<int64_t> axes(kernel.axes.begin(), kernel.axes.end());
    const Tensor zero = ops::equal(elements, Tensor(0.0));
    // One zero: only its own element has a gradient. Two: nobody has.
    const Tensor zeros = ops::sum(ops::cast(zero, elements.dtype()), Axes(axes), true);
    const Tensor others = ops::prod(ops::where(zero, Tensor(1.0), elements), Axes(axes), true);
    d = dy * fused(
                 [](Expr x, Expr zeros, Expr others) {
                   Expr here = expr::equal(x, 0.0);
                   Expr rest = zeros - here;
                   return expr::select(rest > 0.0, 0.0, others / expr::select(here, 1.0, x));
                 },
                 elements, zeros, others);
  } else {
    // Elements that tie for the extreme share its gradient.
    const Tensor y = with_axes(step.outputs[0], kernel.shape, kernel.axes);
    const Tensor hit = ops::cast(ops::equal(elements, y), dy.dtype());
    const std::vector<int64_t> axes(kernel.axes.begin(), kernel.axes.end());
    d = hit * (dy / ops::sum(hit, Axes(axes), true));
  }
  if (identity) {
    Tensors result(step.inputs.size());
    const Tensor wide = d.shape() == kernel.shape ? d : ops::broadcast_to(d, kernel.shape);
    result[static_cast<size_t>(source)] =
        detail::sum_to_shape(ops::cast(wide, elements.dtype()), elements.shape());
    return result;
  }
  InlineVector<Tensor, 8> operands(step.inputs);
  operands.push_back(elements);
  operands.push_back(d);
  return program_gradients(*kernel.program, kernel.compute, kernel.shape, step, operands);
}

Tensors gradient(const backend::Softmax& kernel, const Backprop& step) {
  if (kernel.sums)
    throw UnsupportedError(
        "The sums of a softmax have no gradient by themselves: they are a part of crossentropies, "
        "which have one.");
  const Tensor &y = step.outputs[0], &dy = step.gradients[0];
  // y = x - logsumexp(x) has the Jacobian I - softmax 1', y = softmax has diag(y) - y y'; both need
  // the outputs only, so the tape need not keep x.
  if (kernel.log)
    return {fused([](Expr dy, Expr y, Expr s) { return dy - expr::exp(y) * s; }, dy, y,
                  ops::sum(dy, -1, true))};
  return {fused([](Expr dy, Expr y, Expr s) { return (dy - s) * y; }, dy, y,
                ops::sum(dy * y, -1, true))};
}

namespace {

// The part of t along `axis` from `start` to `stop`.
Tensor part(const Tensor& t, int axis, int64_t start, int64_t stop) {
  Value::List key(static_cast<size_t>(axis), Slice{});
  key.push_back(Slice{start, stop});
  return ops::get_item(t, key);
}

// Of running products y of x. Element i counts for what follows it, s_i = dy_i + x_(i+1) s_(i+1),
// times what stands before it. Without a division, since x may be 0; the sums take as many rounds
// as the axis has halvings.
Tensor product_gradient(const Tensor& x, const Tensor& y, const Tensor& dy, int axis) {
  const int64_t n = x.shape()[axis];
  if (n == 0) return dy;
  const auto filled = [&](int64_t count, double value) {
    Shape shape = x.shape();
    shape[axis] = count;
    return ops::full(shape, value, x.dtype());
  };
  // t moved toward the beginning.
  const auto moved = [&](const Tensor& t, int64_t by) {
    return ops::concatenate({part(t, axis, by, n), filled(by, 0)}, axis);
  };
  Tensor factor = moved(x, 1), s = dy;
  for (int64_t by = 1; by < n; by *= 2) {
    s = s + factor * moved(s, by);
    if (2 * by < n) factor = factor * moved(factor, by);
  }
  return s * ops::concatenate({filled(1, 1), part(y, axis, 0, n - 1)}, axis);
}

}  // namespace

Tensors gradient(const backend::Cumulative& kernel, const Backprop& step) {
  const Tensor &x = step.inputs[0], &y = step.outputs[0], &dy = step.gradients[0];
  backend::Cumulative back = kernel;
  back.product = false;
  // The transpose of a running sum is the running sum from the other end.
  back.reverse = !kernel.reverse;
  if (!kernel.product) return {apply(back, {dy}, dy.spec())};
  if (!kernel.reverse) return {product_gradient(x, y, dy, kernel.axis)};
  const auto turned = [&](const Tensor& t) { return ops::flip(t, kernel.axis); };
  return {turned(product_gradient(turned(x), turned(y), turned(dy), kernel.axis))};
}

Tensors gradient(const backend::Random&, const Backprop&) { return {}; }

Tensors gradient(const backend::MultiTensorFused&, const Backprop&) {
  throw StateError("a step of a plan was recorded for its gradient.");
}

}  // namespace cornu
