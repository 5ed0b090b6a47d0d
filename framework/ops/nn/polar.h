// Complex numbers from absolute values and angles.
#pragma once
#include "../elementwise.h"

namespace cornu::ops {

/// Complex numbers of these absolute values and angles (radians), which broadcast: complex128 for
/// float64, else complex64. Throws ValueError for integers.
Tensor polar(const Tensor& abs_, const Tensor& angle);

}  // namespace cornu::ops
