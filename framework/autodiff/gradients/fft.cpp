// The derivative of the Fourier transform: it is linear, and its matrix is its own transpose, so
// gradients pass through the transform with the opposite sign.
#include "../../dispatch/apply.h"
#include "../../ops/numpy/creation.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/operators.h"
#include "../gradients.h"

namespace cornu {
namespace {

// Terms that were not asked for have no gradient.
Tensor with_all_terms(const Tensor& gradient, int64_t n) {
  const int64_t bins = gradient.shape().back();
  if (bins == n) return gradient;
  std::vector<std::vector<int64_t>> widths(static_cast<size_t>(gradient.rank()), {0, 0});
  widths.back() = {0, n - bins};
  return ops::pad(gradient, widths);
}

}  // namespace

// With e = exp(i t): the gradients of x and y in y = e (x_re + i x_im) are those of conj(e) y.
Tensors gradient(const backend::Fft& kernel, const Backprop& step) {
  const Tensor &dre = step.gradients[0], &dim = step.gradients[1];
  Tensors result(step.inputs.size());
  if (!dre && !dim) return result;
  const TensorSpec spec = step.inputs[0].spec();
  const int64_t n = spec.shape.back();
  // What is real alone is faster.
  Tensors given = {with_all_terms(dre ? dre : ops::zeros_like(dim), n)};
  if (dim) given.push_back(with_all_terms(dim, n));
  const TensorSpec specs[] = {spec, spec};
  const Tensors all = apply(backend::Fft{!kernel.inverse}, given, specs);
  for (size_t i = 0; i < result.size(); ++i)
    if (step.wants(static_cast<int>(i))) result[i] = all[i];
  return result;
}

}  // namespace cornu
