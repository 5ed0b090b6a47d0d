// Numbers that no longer give way to other dtypes.
#pragma once
#include "../op.h"

namespace cornu::detail {

/// x; a number written in C++ becomes a tensor of int32, float32 or bool that no longer gives way
/// to other dtypes.
Tensor strong(const Tensor& x);

}  // namespace cornu::detail
