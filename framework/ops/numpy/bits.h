// Divisors and bits of integers, and the floats next to floats.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// The greatest common divisor of integers; ValueError for floats.
Tensor gcd(const Tensor& x1, const Tensor& x2);
/// The least common multiple of integers; ValueError for floats.
Tensor lcm(const Tensor& x1, const Tensor& x2);
/// The bits of x moved to the left by y places; by as many places as x has or more, 0.
Tensor left_shift(const Tensor& x, const Tensor& y);
/// The bits of x moved to the right by y places, with the sign repeated.
Tensor right_shift(const Tensor& x, const Tensor& y);
/// left_shift by its other name.
inline Tensor bitwise_left_shift(const Tensor& x, const Tensor& y) { return left_shift(x, y); }
/// right_shift by its other name.
inline Tensor bitwise_right_shift(const Tensor& x, const Tensor& y) { return right_shift(x, y); }
/// The number after x1 in the direction of x2 in the result's dtype.
Tensor nextafter(const Tensor& x1, const Tensor& x2);

}  // namespace cornu::ops
