// Training in 8-bit floats: rounding to them, and the scales that bring numbers into their range.
#pragma once
#include "op.h"

namespace cornu::ops {

/// The largest number of "float8_e4m3fn" (448) or "float8_e5m2" (57344). Throws ValueError for
/// other names.
double float8_max(const std::string& dtype);
/// The nearest number of the 8-bit type for each of x, in x's dtype; of two as near, the even one.
/// x must not be beyond the type's range.
Tensor round_to_float8(const Tensor& x, const std::string& dtype);
/// inputs / scale limited to the type's range, as numbers of that type.
Tensor quantize_to_float8(const Tensor& inputs, const Tensor& scale,
                          const std::string& quantized_dtype);
/// inputs / scale limited to the type's range and rounded to it, times scale, in `compute_dtype`.
Tensor quantize_and_dequantize(const Tensor& inputs, const Tensor& scale,
                               const std::string& quantized_dtype, DType compute_dtype);
/// The scale by which numbers whose largest is `amax` fill the range up to dtype_max, with `margin`
/// powers of two to spare; `scale` itself where amax is 0 or not finite.
Tensor compute_float8_scale(const Tensor& amax, const Tensor& scale, const Tensor& dtype_max,
                            double margin = 0);
/// amax_history (n) moved by one place, with the largest |x| first.
Tensor compute_float8_amax_history(const Tensor& x, const Tensor& amax_history);

}  // namespace cornu::ops
