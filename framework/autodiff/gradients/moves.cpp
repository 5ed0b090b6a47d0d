// Derivatives of operations that only move elements: the gradients move back.
#include "../../dispatch/apply.h"
#include "../../dispatch/strided.h"
#include "../../ops/numpy/creation.h"
#include "../gradients.h"

namespace cornu {

Tensors gradient(const backend::Copy& kernel, const Backprop& step) {
  Tensors result(step.inputs.size());
  for (size_t i = 0; i < kernel.parts.size(); ++i) {
    if (!step.wants(static_cast<int>(i))) continue;
    const auto& part = kernel.parts[i];
    const Shape& shape = step.inputs[i].shape();
    result[i] = detail::copy_box(step.gradients[0], part.sizes, part.to, part.from, shape,
                                 part.sizes.numel() == shape.numel());
  }
  return result;
}

Tensors gradient(const backend::Gather& kernel, const Backprop& step) {
  const Tensor& x = step.inputs[0];
  backend::Scatter back{kernel.axis, kernel.along, backend::ScatterOp::add};
  return {
      apply(back, {ops::zeros(x.shape(), x.dtype()), step.inputs[1], step.gradients[0]}, x.spec()),
      Tensor()};
}

Tensors gradient(const backend::Scatter& kernel, const Backprop& step) {
  using backend::ScatterOp;
  const Tensor &indices = step.inputs[1], &updates = step.inputs[2], &dy = step.gradients[0];
  if (kernel.op == ScatterOp::maximum || kernel.op == ScatterOp::minimum)
    throw UnsupportedError(
        "GradientTape: the derivative of a scatter with max or min is not supported.");
  Tensors result(3);
  if (step.wants(0)) {
    result[0] = dy;
    if (kernel.op == ScatterOp::set)
      result[0] = apply(kernel, {dy, indices, ops::zeros(updates.shape(), dy.dtype())}, dy.spec());
  }
  if (step.wants(2))
    result[2] = apply(backend::Gather{kernel.axis, kernel.along}, {dy, indices}, updates.spec());
  return result;
}

Tensors gradient(const backend::Sort&, const Backprop& step) {
  const Tensor& x = step.inputs[0];
  if (!step.gradients[0]) return {};
  const backend::Scatter back{x.rank() - 1, true, backend::ScatterOp::add};
  return {apply(back, {ops::zeros(x.shape(), x.dtype()), step.outputs[1], step.gradients[0]},
                x.spec())};
}

}  // namespace cornu
