// Windows that weight stretches of a signal.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Windows of x points (of the whole number below a fraction) for weighting stretches of a signal,
/// symmetric; float32.
Tensor bartlett(double x);
Tensor blackman(double x);
Tensor hamming(double x);
Tensor hanning(double x);
/// Kaiser's window, whose side lobes are lower, and main lobe wider, the larger beta is.
Tensor kaiser(double x, double beta);

}  // namespace cornu::ops
