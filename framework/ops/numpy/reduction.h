// Sums, extremes and the like over axes.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Sums of short integers and bools are int32 (unsigned: uint32).
Tensor sum(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// The product, computed in `dtype` if one is given.
Tensor prod(const Tensor& x, const Axes& axis = {}, bool keepdims = false,
            std::optional<DType> dtype = {});
/// Integers average to float32.
Tensor mean(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// The extreme of the elements and of `initial`, if given. NaN wins. Throws ShapeError for an empty
/// reduction without `initial`.
Tensor max(const Tensor& x, const Axes& axis = {}, bool keepdims = false,
           std::optional<double> initial = {});
Tensor min(const Tensor& x, const Axes& axis = {}, bool keepdims = false,
           std::optional<double> initial = {});
/// max(x) - min(x).
Tensor ptp(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor any(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor all(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// Index of the first extreme along `axis`, or of the flattened tensor; int32. -0 counts as less
/// than 0.
Tensor argmax(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
Tensor argmin(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
/// Mean of the squared distance from the mean (no correction).
Tensor var(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor std(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor count_nonzero(const Tensor& x, const Axes& axis = {});
/// Running sums (products) along `axis` (flattened without one), computed in `dtype` if one is
/// given.
Tensor cumsum(const Tensor& x, std::optional<int64_t> axis = {}, std::optional<DType> dtype = {});
Tensor cumprod(const Tensor& x, std::optional<int64_t> axis = {}, std::optional<DType> dtype = {});
/// Sum of the elements of x that `target` would have been broadcast over: the reverse of
/// broadcasting.
Tensor sum_to_shape(const Tensor& x, const Shape& target);
/// log(sum(exp(x))) without overflow.
Tensor logsumexp(const Tensor& x, const Axes& axis = {}, bool keepdims = false);

}  // namespace cornu::ops
