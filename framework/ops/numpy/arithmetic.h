// Elementwise functions that are made of several of the table's operations (../elementwise.h has
// those).
#pragma once
#include "../op.h"

namespace cornu::ops {

// Operands broadcast. A number written in C++ counts as int32 or float32 in the functions of two
// operands, as in Keras, except in fmax, fmin and divide_no_nan, where it takes the
// other operand's dtype.

/// |x| as a float.
Tensor fabs(const Tensor& x);
/// The real cube root, also of negative numbers.
Tensor cbrt(const Tensor& x);
/// 2^x.
Tensor exp2(const Tensor& x);
/// Degrees as radians.
Tensor deg2rad(const Tensor& x);
/// Radians as degrees.
Tensor rad2deg(const Tensor& x);
/// sin(pi x) / (pi x), and 1 at 0.
Tensor sinc(const Tensor& x);
/// The modified Bessel function of the first kind and order 0, relative error about 1e-6 in
/// float32. Sums the power series where |x| < 16 and the asymptotic series beyond (Abramowitz and
/// Stegun, 9.6.12 and 9.7.1).
Tensor i0(const Tensor& x);
/// x to `decimals` digits after the point (before it when negative), halves to even; integers stay
/// integers.
Tensor round(const Tensor& x, int64_t decimals = 0);
/// sqrt(x1^2 + x2^2) without overflow in between.
Tensor hypot(const Tensor& x1, const Tensor& x2);
/// 0 where x1 < 0, 1 where x1 > 0, x2 where x1 is 0.
Tensor heaviside(const Tensor& x1, const Tensor& x2);
/// The remainder of x1 / x2 with the sign of x1.
Tensor fmod(const Tensor& x1, const Tensor& x2);
/// The larger; of a number and NaN the number.
Tensor fmax(const Tensor& x1, const Tensor& x2);
/// The smaller; of a number and NaN the number.
Tensor fmin(const Tensor& x1, const Tensor& x2);
/// x1 * 2^x2 for integers x2.
Tensor ldexp(const Tensor& x1, const Tensor& x2);
/// log(exp(x1) + exp(x2)) without overflow.
Tensor logaddexp(const Tensor& x1, const Tensor& x2);
/// log2(2^x1 + 2^x2) without overflow.
Tensor logaddexp2(const Tensor& x1, const Tensor& x2);
/// x1 / x2, and 0 where x2 is 0.
Tensor divide_no_nan(const Tensor& x1, const Tensor& x2);
/// x with numbers in place of NaN and the infinities, by default the dtype's largest and least for
/// the latter.
Tensor nan_to_num(const Tensor& x, const Value& nan = 0.0, const Value& posinf = {},
                  const Value& neginf = {});
/// x limited to [x_min, x_max], of the dtype that is common to the three (bool becomes int32). C++
/// numbers leave x's dtype, but floats as bounds make floats of whole numbers.
Tensor clip(const Tensor& x, const Tensor& x_min, const Tensor& x_max);

}  // namespace cornu::ops
