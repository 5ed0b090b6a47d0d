// Arithmetic and comparison on tensors: x + y, 1.0 - x, x > 0, ...
#pragma once
#include "elementwise.h"

namespace cornu {

/// ops::add(x, y).
inline Tensor operator+(const Tensor& x, const Tensor& y) { return ops::add(x, y); }
/// ops::subtract(x, y).
inline Tensor operator-(const Tensor& x, const Tensor& y) { return ops::subtract(x, y); }
/// ops::multiply(x, y): element by element.
inline Tensor operator*(const Tensor& x, const Tensor& y) { return ops::multiply(x, y); }
/// ops::true_divide(x, y): of integers a float.
inline Tensor operator/(const Tensor& x, const Tensor& y) { return ops::true_divide(x, y); }
/// ops::negative(x).
inline Tensor operator-(const Tensor& x) { return ops::negative(x); }
/// ops::less(x, y): a bool for each element.
inline Tensor operator<(const Tensor& x, const Tensor& y) { return ops::less(x, y); }
/// ops::less_equal(x, y): a bool for each element.
inline Tensor operator<=(const Tensor& x, const Tensor& y) { return ops::less_equal(x, y); }
/// ops::greater(x, y): a bool for each element.
inline Tensor operator>(const Tensor& x, const Tensor& y) { return ops::greater(x, y); }
/// ops::greater_equal(x, y): a bool for each element.
inline Tensor operator>=(const Tensor& x, const Tensor& y) { return ops::greater_equal(x, y); }

}  // namespace cornu
