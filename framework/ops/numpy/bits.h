// Divisors and bits of integers, and neighbours of floats.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Greatest common divisor and least common multiple of integers; ValueError for floats.
Tensor gcd(const Tensor& x1, const Tensor& x2);
Tensor lcm(const Tensor& x1, const Tensor& x2);
/// The bits of x moved by y places. To the right the sign is repeated; by as many places as x has
/// or more, no bit is left.
Tensor left_shift(const Tensor& x, const Tensor& y);
Tensor right_shift(const Tensor& x, const Tensor& y);
/// The number after x1 in the direction of x2 in the result's dtype.
Tensor nextafter(const Tensor& x1, const Tensor& x2);

}  // namespace cornu::ops
