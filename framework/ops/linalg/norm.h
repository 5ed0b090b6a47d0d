// Norms of vectors and matrices.
#pragma once
#include "../integers.h"
#include "../op.h"

namespace cornu::ops {

/// NumPy's norms: of all elements, of vectors along one axis, or of matrices along two. `ord` is a
/// number, "fro", "nuc" or null. Throws ValueError for an order that does not exist.
Tensor norm(const Tensor& x, const Value& ord = {}, const OptionalIntegers& axis = {},
            bool keepdims = false);

}  // namespace cornu::ops
