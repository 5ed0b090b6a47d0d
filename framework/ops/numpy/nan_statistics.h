// Reductions and statistics of the elements that are not NaN.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// The same functions of the elements that are not NaN. Where there are none the result is NaN, the
/// index -1, the sum 0, the product 1.
Tensor nansum(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanprod(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanmean(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanvar(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanstd(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanmax(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanmin(const Tensor& x, const Axes& axis = {}, bool keepdims = false);
Tensor nanargmax(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
Tensor nanargmin(const Tensor& x, std::optional<int64_t> axis = {}, bool keepdims = false);
Tensor nancumsum(const Tensor& x, std::optional<int64_t> axis = {},
                 std::optional<DType> dtype = {});
Tensor nancumprod(const Tensor& x, std::optional<int64_t> axis = {},
                  std::optional<DType> dtype = {});
Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                   const std::string& method = "linear", bool keepdims = false);
Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axis = {},
                     const std::string& method = "linear", bool keepdims = false);
Tensor nanmedian(const Tensor& x, const Axes& axis = {}, bool keepdims = false);

}  // namespace cornu::ops
