// Numbers as tensors.
#include "strong.h"

#include "../../dispatch/complex.h"
#include "../core/cast.h"
#include "../operators.h"

namespace cornu::ops {

Tensor strong(const Tensor& x) { return x.is_weak() ? cast(x, x.dtype()) : x; }

}  // namespace cornu::ops
