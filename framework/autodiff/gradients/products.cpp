// Derivatives of matrix products, convolutions and pooling: each is another product of the same
// kind.
#include "../../ops/numpy/products.h"

#include <limits>

#include "../../dispatch/apply.h"
#include "../../ops/detail/sum_to_shape.h"
#include "../../ops/numpy/creation.h"
#include "../../ops/numpy/indexing.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "../gradients.h"

namespace cornu {

Tensors gradient(const backend::Matmul& kernel, const Backprop& step) {
  const Tensor &a = step.inputs[0], &b = step.inputs[1], &dy = step.gradients[0];
  const bool ta = kernel.transpose_a, tb = kernel.transpose_b;
  Tensors result(step.inputs.size());
  if (step.wants(0))
    result[0] = detail::sum_to_shape(
        ta ? ops::matmul_transposed(b, dy, tb, true) : ops::matmul_transposed(dy, b, false, !tb),
        a.shape());
  if (step.wants(1))
    result[1] = detail::sum_to_shape(
        tb ? ops::matmul_transposed(dy, a, true, ta) : ops::matmul_transposed(a, dy, !ta, false),
        b.shape());
  if (kernel.bias && step.wants(2)) result[2] = detail::sum_to_shape(dy, step.inputs[2].shape());
  return result;
}

Tensors gradient(const backend::Conv& kernel, const Backprop& step) {
  using backend::ConvPass;
  const Tensor &first = step.inputs[0], &second = step.inputs[1], &g = step.gradients[0];
  auto pass = [&](ConvPass which, const Tensor& a, const Tensor& b, const TensorSpec& output) {
    backend::Conv k = kernel;
    k.pass = which;
    k.bias = false;
    return apply(k, {a, b}, output);
  };
  Tensors result(step.inputs.size());
  switch (kernel.pass) {
    case ConvPass::forward:  // inputs x, kernel
      if (step.wants(0)) result[0] = pass(ConvPass::backward_data, g, second, first.spec());
      if (step.wants(1)) result[1] = pass(ConvPass::backward_weights, first, g, second.spec());
      if (kernel.bias && step.wants(2)) result[2] = detail::sum_to_shape(g, step.inputs[2].shape());
      break;
    case ConvPass::backward_data:  // inputs dy, kernel; the output is in x's place
      if (step.wants(0)) result[0] = pass(ConvPass::forward, g, second, first.spec());
      if (step.wants(1)) result[1] = pass(ConvPass::backward_weights, g, first, second.spec());
      break;
    case ConvPass::backward_weights:  // inputs x, dy; the output is in the kernel's place
      if (step.wants(0)) result[0] = pass(ConvPass::backward_data, second, g, first.spec());
      if (step.wants(1)) result[1] = pass(ConvPass::forward, first, g, second.spec());
      break;
  }
  return result;
}

namespace {

// The elements of each window of x (n, spatial..., c), `filler` beyond its borders: (n, out..., c,
// elements of a window).
Tensor windows_of(const backend::Pool& pool, const Tensor& x, const Shape& out, double filler) {
  const int rank = x.rank();
  const auto at = [](const InlineVector<int64_t, 3>& sizes, int axis, int64_t otherwise) {
    return sizes.empty() ? otherwise : sizes[static_cast<size_t>(axis - 1)];
  };
  std::vector<std::vector<int64_t>> borders(static_cast<size_t>(rank), {0, 0});
  for (int axis = 1; axis < rank - 1; ++axis)
    borders[static_cast<size_t>(axis)] = {at(pool.pad_low, axis, 0), at(pool.pad_high, axis, 0)};
  Tensor y = ops::pad(x, borders, "constant", filler);
  std::vector<int64_t> order = {0}, elements;
  Shape shape = out;
  shape.push_back(1);
  // Each spatial axis becomes two, of windows and of elements; the last one first, which moves none
  // of the others.
  for (int axis = rank - 2; axis > 0; --axis) {
    const Tensor first = ops::arange(out[axis]) * at(pool.strides, axis, 1);
    y = ops::take(y, ops::expand_dims(first, {1}) + ops::arange(at(pool.window, axis, 1)), axis);
  }
  for (int axis = 1; axis < rank - 1; ++axis) {
    order.push_back(2 * axis - 1);
    elements.push_back(2 * axis);
    shape[rank] *= at(pool.window, axis, 1);
  }
  order.push_back(y.rank() - 1);
  order.insert(order.end(), elements.begin(), elements.end());
  return ops::reshape(ops::transpose(y, order), shape);
}

}  // namespace

Tensors gradient(const backend::Pool& kernel, const Backprop& step) {
  backend::Pool k = kernel;
  if (!kernel.backward) {
    k.backward = true;
    return {apply(k, {step.inputs[0], step.outputs[0], step.gradients[0]}, step.inputs[0].spec())};
  }
  if (kernel.maximum) {
    // The backward pass moves dy to the first maxima, so its transpose picks what is there.
    const Shape& out = step.inputs[2].shape();
    const Tensor best = ops::argmax(
        windows_of(kernel, step.inputs[0], out, -std::numeric_limits<double>::infinity()), -1,
        true);
    const Tensor picked =
        ops::take_along_axis(windows_of(kernel, step.gradients[0], out, 0), best, -1);
    return {Tensor(), Tensor(), ops::reshape(picked, out)};
  }
  // The backward pass of averaging is linear in dy; its transpose is the averaging itself.
  k.backward = false;
  return {Tensor(), Tensor(), apply(k, {step.gradients[0]}, step.inputs[2].spec())};
}

}  // namespace cornu
