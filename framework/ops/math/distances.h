// Distances of vectors.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Euclidean distances between the rows of x (..., m, d) and y (..., n, d) -> (..., m, n).
Tensor cdist(const Tensor& x, const Tensor& y);

}  // namespace cornu::ops
