// Reductions and statistics of the elements that are not NaN.
#pragma once
#include "../op.h"

namespace cornu::ops {

// The functions of reduction.h and statistics.h of the elements that are not NaN.

/// sum without NaN; 0 where all elements are NaN.
Tensor nansum(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// prod without NaN; 1 where all elements are NaN.
Tensor nanprod(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// mean without NaN; NaN where all elements are.
Tensor nanmean(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// var without NaN; NaN where all elements are. That of integers is float32.
Tensor nanvar(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// The root of nanvar.
Tensor nanstd(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// max without NaN; NaN where all elements are.
Tensor nanmax(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// min without NaN; NaN where all elements are.
Tensor nanmin(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
/// argmax without NaN; -1 where all elements are NaN.
Tensor nanargmax(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
/// argmin without NaN; -1 where all elements are NaN.
Tensor nanargmin(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
/// cumsum with 0 in place of NaN.
Tensor nancumsum(const Tensor& x, std::optional<int64_t> axis = {}, OptionalDType dtype = {});
/// cumprod with 1 in place of NaN.
Tensor nancumprod(const Tensor& x, std::optional<int64_t> axis = {}, OptionalDType dtype = {});
/// quantile without NaN; NaN where all elements are.
Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                   const std::string& method = "linear", bool keepdims = false);
/// nanquantile of q / 100.
Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                     const std::string& method = "linear", bool keepdims = false);
/// median without NaN; NaN where all elements are.
Tensor nanmedian(const Tensor& x, const Axes& axis = {}, bool keepdims = false);

}  // namespace cornu::ops
