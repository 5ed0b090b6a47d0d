// Derivatives of normalization. The kernel has its own backward pass; what else is wanted, the
// gradients of mean and variance and the second derivatives, is composed.
#include "../../dispatch/apply.h"
#include "../../ops/core/cast.h"
#include "../../ops/elementwise.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "../gradients.h"
#include "../tape.h"

namespace cornu {

namespace {

// How statistics and weights lie along x.
class Alignment {
 public:
  Alignment(const backend::Normalize& kernel, const Shape& x) : kernel_(kernel) {
    const int last = x.rank() - 1, blocks = kernel.block ? 1 : last;
    for (int i = 0; i <= last; ++i) {
      const bool channel = i == blocks || i == last;
      weights_.push_back(channel ? x[i] : 1);
      rows_.push_back(i == last ? 1 : x[i]);
      if (!channel) others_.push_back(i);
    }
    count_ = static_cast<double>(x.numel()) / static_cast<double>(statistics().numel());
  }

  /// Elements that share a mean.
  double count() const { return count_; }
  Tensor along_weights(const Tensor& t) const { return apply_reshape(t, weights_); }
  Tensor along_statistics(const Tensor& t) const { return apply_reshape(t, statistics()); }
  /// Sums over the elements that share a mean.
  Tensor sum_statistics(const Tensor& t) const {
    return kernel_.channels ? ops::sum(t, others_, true) : ops::sum(t, -1, true);
  }
  /// Sums over the elements that share a weight, to a vector.
  Tensor sum_weights(const Tensor& t) const {
    const Tensor sum = others_.empty() ? t : ops::sum(t, others_, true);
    return apply_reshape(sum, {weights_.numel()});
  }

 private:
  const Shape& statistics() const { return kernel_.channels ? weights_ : rows_; }

  const backend::Normalize& kernel_;
  Shape weights_, rows_;
  std::vector<int64_t> others_;
  double count_;
};

// The kernel's backward pass as operations: dx and, where the kernel has them, dscale and doffset.
Tensors compose_backward(const backend::Normalize& kernel, std::span<const Tensor> inputs) {
  const Alignment align(kernel, inputs[0].shape());
  // Statistics are float32 or wider; 16-bit operands are computed in their type.
  const DType dtype = inputs[1].dtype();
  auto wide = [&](int i) { return ops::cast(inputs[static_cast<size_t>(i)], dtype); };
  const Tensor x = wide(0), dy = wide(3), mean = align.along_statistics(inputs[1]);
  const Tensor inverse = fused([](Expr v, Expr epsilon) { return expr::rsqrt(v + epsilon); },
                               align.along_statistics(wide(2)), Tensor(kernel.epsilon));
  const Tensor normalized = (x - mean) * inverse;
  const Tensor g = kernel.scale ? dy * align.along_weights(wide(4)) : dy;
  // dx = (g - mean(g) - normalized * mean(g * normalized)) / std, from
  // https://arxiv.org/abs/1502.03167.
  const Tensor slope = align.sum_statistics(g * normalized) * Tensor(1 / align.count());
  Tensor dx = g - normalized * slope;
  if (kernel.centered) dx = dx - align.sum_statistics(g) * Tensor(1 / align.count());
  Tensors result = {ops::cast(dx * inverse, inputs[0].dtype())};
  if (kernel.scale)
    result.push_back(ops::cast(align.sum_weights(dy * normalized), inputs[4].dtype()));
  if (kernel.offset) result.push_back(align.sum_weights(dy));
  return result;
}

Tensors differentiate_backward(const backend::Normalize& kernel, const Backprop& step) {
  // Tensors of their own: one that serves as two inputs has two gradients here.
  std::vector<Tensor> inputs;
  for (const Tensor& t : step.inputs) inputs.push_back(apply_reshape(t, t.shape()));
  GradientTape tape;
  for (const Tensor& t : inputs) tape.watch(t);
  const Tensors outputs = compose_backward(kernel, inputs);
  std::vector<Tensor> targets, gradients;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (step.gradients[i]) {
      targets.push_back(outputs[i]);
      gradients.push_back(ops::cast(step.gradients[i], outputs[i].dtype()));
    }
  Tensors result;
  for (Tensor& t : tape.gradient(targets, inputs, gradients)) result.push_back(std::move(t));
  return result;
}

}  // namespace

Tensors gradient(const backend::Normalize& kernel, const Backprop& step) {
  if (kernel.backward) return differentiate_backward(kernel, step);
  const Tensor &x = step.inputs[0], &mean = step.outputs[1];
  const Tensor &dy = step.gradients[0], &dmean = step.gradients[1], &dvariance = step.gradients[2];
  Tensors result(step.inputs.size());
  if (dy) {
    backend::Normalize backward = kernel;
    backward.backward = true;
    Tensors inputs = {x, mean, step.outputs[2], dy};
    if (kernel.scale) inputs.push_back(step.inputs[1]);
    InlineVector<TensorSpec, 3> specs;
    for (const Tensor& t : step.inputs) specs.push_back(t.spec());
    result = apply(backward, inputs, std::span<const TensorSpec>(specs.data(), specs.size()));
  }
  if (!step.wants(0)) return result;
  const Alignment align(kernel, x.shape());
  const Tensor each(1 / align.count());
  auto add = [&](const Tensor& more) {
    const Tensor dx = ops::cast(more, x.dtype());
    result[0] = result[0] ? result[0] + dx : dx;
  };
  // Each element moves the mean by 1 / count, and the variance by 2 (x - mean) / count: how it
  // moves the variance through the mean cancels out.
  if (dmean && kernel.centered)
    add(ops::broadcast_to(align.along_statistics(dmean) * each, x.shape()));
  if (dvariance)
    add(fused([](Expr x, Expr mean, Expr g, Expr each) { return (x - mean) * (g * each) * 2.0; }, x,
              align.along_statistics(mean), align.along_statistics(dvariance), each));
  return result;
}

}  // namespace cornu
