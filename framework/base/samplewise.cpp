// Means over the axes of samples, then sums over samples.
#include "samplewise.h"

#include <tuple>

#include "../ops/core/cast.h"
#include "../ops/numpy/manipulation.h"
#include "../ops/numpy/reduction.h"
#include "../ops/operators.h"
#include "loss.h"

namespace cornu {
namespace {

// The mean over all axes from `first` on.
Tensor mean_from(const Tensor& x, int first) {
  if (x.rank() <= first) return x;
  std::vector<int64_t> axes;
  for (int i = first; i < x.rank(); ++i) axes.push_back(i);
  return ops::mean(x, axes);
}

}  // namespace

Tensor detail::of_type(const Tensor& t, DType dtype) {
  return t.dtype() == dtype && !t.is_weak() ? t : ops::cast(t, dtype);
}

WeightedSums samplewise_sums(const Tensor& values, const Tensor& sample_weight, DType dtype) {
  Tensor v = detail::of_type(values, dtype), w = detail::of_type(sample_weight, dtype);
  if (const Tensor mask = values.mask()) w = apply_mask(w, mask, dtype, false);
  std::tie(v, w) = squeeze_or_expand_to_same_rank(v, w);
  v = mean_from(v, w.rank());
  try {
    if (w.shape() != v.shape()) w = ops::broadcast_to(w, v.shape());
  } catch (const ShapeError&) {
    throw ShapeError("sample_weight of shape " + sample_weight.shape().str() +
                     " does not fit values of shape " + values.shape().str() +
                     ": give one weight for each value, or "
                     "for each sample.");
  }
  return {ops::sum(mean_from(v * w, 1)), ops::sum(mean_from(w, 1))};
}

}  // namespace cornu
