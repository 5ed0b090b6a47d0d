// Derivatives of matrix products, convolutions and pooling: each is another product of the same
// kind.
#include "../../ops/numpy/products.h"
#include "../../dispatch/apply.h"
#include "../../ops/detail/sum_to_shape.h"
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

Tensors gradient(const backend::Pool& kernel, const Backprop& step) {
  backend::Pool k = kernel;
  if (!kernel.backward) {
    k.backward = true;
    return {apply(k, {step.inputs[0], step.outputs[0], step.gradients[0]}, step.inputs[0].spec())};
  }
  if (kernel.maximum)
    throw UnsupportedError("GradientTape: the second derivative of max pooling is not supported.");
  // The backward pass of averaging is linear in dy; its transpose is the averaging itself.
  k.backward = false;
  return {Tensor(), Tensor(), apply(k, {step.gradients[0]}, step.inputs[2].spec())};
}

}  // namespace cornu
