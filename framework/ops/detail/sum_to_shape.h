// The reverse of broadcasting.
#pragma once
#include "../op.h"

namespace cornu::detail {

/// Sum of the elements of x that `target` would have been broadcast over: the reverse of
/// broadcasting.
Tensor sum_to_shape(const Tensor& x, const Shape& target);

}  // namespace cornu::detail
