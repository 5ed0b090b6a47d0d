// Complex numbers as pairs of real ones, and back.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// x (...) as real and imaginary part side by side (..., 2). Of complex numbers it shares memory.
Tensor view_as_real(const Tensor& x);
/// x (..., 2) as complex64 (...), from real and imaginary parts. Throws ValueError when the last
/// axis is not of size 2.
Tensor view_as_complex(const Tensor& x);

}  // namespace cornu::ops
