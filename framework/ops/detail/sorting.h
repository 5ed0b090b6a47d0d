// One Sort kernel along an axis.
#pragma once
#include "../op.h"

namespace cornu::detail {

Tensors sorted_along(const Tensor& x, bool descending, int64_t count);

}  // namespace cornu::detail
