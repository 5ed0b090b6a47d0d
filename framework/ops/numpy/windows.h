// Windows that weight sections of a signal.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Windows of x points (of the whole number below a fraction) for weighting sections of a signal,
/// symmetric; float32.
Tensor bartlett(double x);
/// 0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t) at t = i / (x - 1).
Tensor blackman(double x);
/// 0.54 - 0.46 cos(2 pi t).
Tensor hamming(double x);
/// 0.5 - 0.5 cos(2 pi t).
Tensor hanning(double x);
/// Kaiser's window, whose side lobes are lower, and main lobe wider, the larger beta is.
Tensor kaiser(double x, double beta);

}  // namespace cornu::ops
