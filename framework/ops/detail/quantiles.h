// Quantiles with and without NaN.
#pragma once
#include "../op.h"

namespace cornu::detail {

/// Quantiles of x over axes, of all elements or of those that are not NaN.
Tensor quantiles(const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
                 bool keepdims, bool skip_nan);

}  // namespace cornu::detail
