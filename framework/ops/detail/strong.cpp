// Numbers as tensors.
#include "strong.h"

#include "../../dispatch/complex.h"
#include "../core/cast.h"
#include "../operators.h"

namespace cornu::detail {

Tensor strong(const Tensor& x) { return x.is_weak() ? ops::cast(x, x.dtype()) : x; }

}  // namespace cornu::detail
