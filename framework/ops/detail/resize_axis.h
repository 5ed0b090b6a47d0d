// Resampling along one axis, for layers.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// x resampled along `axis` to `size` places, whose centers are at (i + 0.5) * old size / size -
/// 0.5. `interpolation`: "nearest", "bilinear", "bicubic" (Keys, a = -0.5), "lanczos3" or
/// "lanczos5"; weights that fall outside are left out, and the others sum to 1. With `antialias`
/// the kernel widens when the axis shrinks. Integers and 16-bit floats are interpolated in float32;
/// the result has x's dtype.
Tensor resize_axis(const Tensor& x, int64_t axis, int64_t size,
                   const std::string& interpolation = "bilinear", bool antialias = false);

}  // namespace cornu::ops
