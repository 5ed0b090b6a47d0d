// Windows that weight stretches of a signal.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Windows of n points for weighting stretches of a signal, symmetric; float32.
Tensor bartlett(int64_t n);
Tensor blackman(int64_t n);
Tensor hamming(int64_t n);
Tensor hanning(int64_t n);
/// Kaiser's window, whose side lobes are lower, and main lobe wider, the larger beta is.
Tensor kaiser(int64_t n, double beta);

}  // namespace cornu::ops
