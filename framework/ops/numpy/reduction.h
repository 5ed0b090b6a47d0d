// Sums, extremes and the like over axes.
#pragma once
#include "../condition.h"
#include "../op.h"
#include "joining.h"

namespace cornu::ops {

/// The sum over axes (all by default), which are kept with size 1 on request. Sums of short
/// integers and bools are int32 (unsigned: uint32).
Tensor sum(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// The product over axes, computed in `dtype` if one is given.
Tensor prod(const Tensor& x, const Axes& axis = {}, bool keepdims = false,
            OptionalDType dtype = {});
/// The mean over axes; that of integers is float32.
Tensor mean(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// The greatest of the elements and of `initial`, if given. NaN wins. Throws ShapeError for an
/// empty reduction without `initial`.
Tensor max(const Tensor& x, const Axes& axis = {}, bool keepdims = false,
           std::optional<double> initial = {});
/// The least element; arguments as max.
Tensor min(const Tensor& x, const Axes& axis = {}, bool keepdims = false,
           std::optional<double> initial = {});
/// max by its other name, without `initial`.
inline Tensor amax(const Tensor& x, const Axes& axis = {}, bool keepdims = false) {
  return max(x, axis, keepdims);
}
/// min by its other name, without `initial`.
inline Tensor amin(const Tensor& x, const Axes& axis = {}, bool keepdims = false) {
  return min(x, axis, keepdims);
}
/// max(x) - min(x).
Tensor ptp(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// Whether an element is not 0; bool.
Condition any(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// Whether no element is 0; bool.
Condition all(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// Index of the first greatest element along `axis`, or of the flattened tensor; int32. -0 counts
/// as less than 0.
Tensor argmax(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
/// Index of the first least element; as argmax.
Tensor argmin(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
/// Mean of the squared distance from the mean (no correction).
Tensor var(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// The root of var.
Tensor std(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// How many elements are not 0; int32.
Tensor count_nonzero(const Tensor& x, const Axes& axis = {});
/// Running sums along `axis` (flattened without one), computed in `dtype` if one is
/// given.
Tensor cumsum(const Tensor& x, std::optional<int64_t> axis = {}, OptionalDType dtype = {});
/// Running products; arguments as cumsum.
Tensor cumprod(const Tensor& x, std::optional<int64_t> axis = {}, OptionalDType dtype = {});

/// @{
/// Of a vector of tensors of equal shape, which are stacked along a new first axis.
inline Tensor sum(const std::vector<Tensor>& x, const Axes& axis = {}, bool keepdims = false) {
  return sum(stack(x), axis, keepdims);
}
inline Tensor mean(const std::vector<Tensor>& x, const Axes& axis = {}, bool keepdims = false) {
  return mean(stack(x), axis, keepdims);
}
inline Tensor max(const std::vector<Tensor>& x, const Axes& axis = {}, bool keepdims = false,
                  std::optional<double> initial = {}) {
  return max(stack(x), axis, keepdims, initial);
}
inline Tensor min(const std::vector<Tensor>& x, const Axes& axis = {}, bool keepdims = false,
                  std::optional<double> initial = {}) {
  return min(stack(x), axis, keepdims, initial);
}
/// @}

}  // namespace cornu::ops
