// The complement of the error function, and the logarithm of sums of exponentials.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// 1 - erf(x), accurate also where erf(x) is almost 1: relative error about 1e-6 in float32, 1e-13
/// in float64.
Tensor erfc(const Tensor& x);

/// log(sum(exp(x))) without overflow.
Tensor logsumexp(const Tensor& x, const Axes& axis = {}, bool keepdims = false);

}  // namespace cornu::ops
