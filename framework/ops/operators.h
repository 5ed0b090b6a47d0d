// Arithmetic and comparison on tensors: x + y, 1.0 - x, x > 0, ...
#pragma once
#include "elementwise.h"

namespace cornu {

inline Tensor operator+(const Tensor& x, const Tensor& y) { return ops::add(x, y); }
inline Tensor operator-(const Tensor& x, const Tensor& y) { return ops::subtract(x, y); }
inline Tensor operator*(const Tensor& x, const Tensor& y) { return ops::multiply(x, y); }
inline Tensor operator/(const Tensor& x, const Tensor& y) { return ops::true_divide(x, y); }
inline Tensor operator-(const Tensor& x) { return ops::negative(x); }
inline Tensor operator<(const Tensor& x, const Tensor& y) { return ops::less(x, y); }
inline Tensor operator<=(const Tensor& x, const Tensor& y) { return ops::less_equal(x, y); }
inline Tensor operator>(const Tensor& x, const Tensor& y) { return ops::greater(x, y); }
inline Tensor operator>=(const Tensor& x, const Tensor& y) { return ops::greater_equal(x, y); }

}  // namespace cornu
