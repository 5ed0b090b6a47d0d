// Derivatives of attention: the kernel's own backward pass; those of masks, and second ones, go
// through the formula.
#include "../../ops/nn/attention.h"
#include "../../dispatch/apply.h"
#include "../../ops/math/special.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "../gradients.h"
#include "../tape.h"

namespace cornu {
namespace {

// The same values under a key of their own, for a tape to watch; outer tapes see where it is from.
Tensor alias(const Tensor& x) { return apply_reshape(x, x.shape()); }

// Attention's inputs as a local tape watches them, and the formula on them.
struct Watched {
  Watched(const backend::Attention& k, std::span<const Tensor> given) : kernel(k) {
    for (const Tensor& t : given.subspan(0, kernel.mask ? 4 : 3)) inputs.push_back(alias(t));
  }
  void watch(GradientTape& tape) const {
    for (const Tensor& t : inputs)
      if (is_float(t.dtype())) tape.watch(t);
  }
  detail::ComposedAttention compose() const {
    return detail::compose_attention(inputs[0], inputs[1], inputs[2],
                                     kernel.mask ? inputs[3] : Tensor(), kernel.scale,
                                     kernel.causal);
  }
  const backend::Attention& kernel;
  std::vector<Tensor> inputs;
};

// Gradients of `sources` from the targets to which one flows.
Tensors sweep(GradientTape& tape, std::span<const Tensor> targets,
              const std::vector<Tensor>& sources, std::span<const Tensor> flowing) {
  std::vector<Tensor> reached, gradients;
  for (size_t i = 0; i < targets.size(); ++i)
    if (targets[i] && flowing[i]) {
      reached.push_back(targets[i]);
      gradients.push_back(flowing[i]);
    }
  return Tensors(tape.gradient(reached, sources, gradients));
}

Tensors first_derivative(const backend::Attention& kernel, const Backprop& step) {
  const Watched attention(kernel, step.inputs);
  GradientTape tape({.watch_accessed_variables = false});
  attention.watch(tape);
  const auto [logits, y] = attention.compose();
  const Tensor outputs[] = {y, step.gradients[1] ? ops::logsumexp(logits, -1) : Tensor()};
  return sweep(tape, outputs, attention.inputs, step.gradients);
}

Tensors second_derivative(const backend::Attention& kernel, const Backprop& step) {
  const Watched attention(kernel, step.inputs);
  GradientTape outer({.watch_accessed_variables = false});
  attention.watch(outer);
  const Tensor dy = alias(step.inputs.back());
  outer.watch(dy);
  std::vector<Tensor> first;
  {
    GradientTape inner({.watch_accessed_variables = false});
    attention.watch(inner);
    const Tensor y = attention.compose().y;
    first = inner.gradient(std::vector{y},
                           {attention.inputs[0], attention.inputs[1], attention.inputs[2]}, {dy});
  }
  std::vector<Tensor> sources = attention.inputs;
  sources.push_back(dy);
  const Tensors found = sweep(outer, first, sources, step.gradients);
  // y and logsumexp follow from the others, whose gradients are whole.
  Tensors result(step.inputs.size());
  for (size_t i = 0; i < attention.inputs.size(); ++i) result[i] = found[i];
  result.back() = found.back();
  return result;
}

}  // namespace

Tensors gradient(const backend::Attention& kernel, const Backprop& step) {
  if (kernel.backward) return second_derivative(kernel, step);
  // The kernel's backward pass gives gradients of q, k and v only, and takes none of logsumexp. The
  // formula holds all scores in memory, which the kernel avoids.
  const bool of_mask = kernel.mask && step.wants(3);
  if (of_mask || step.gradients[1]) return first_derivative(kernel, step);
  backend::Attention back = kernel;
  back.backward = true;
  Tensors inputs(step.inputs);
  // With y and logsumexp the backward pass recomputes the scores tile by tile.
  inputs.push_back(step.outputs[0]);
  inputs.push_back(step.outputs[1]);
  inputs.push_back(step.gradients[0]);
  const TensorSpec outputs[] = {step.inputs[0].spec(), step.inputs[1].spec(),
                                step.inputs[2].spec()};
  Tensors result = apply(back, inputs, outputs);
  if (kernel.mask) result.push_back(Tensor());
  return result;
}

}  // namespace cornu
