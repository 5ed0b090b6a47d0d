// Operators of C++ on tensors, each one of ops: x + y, 1.0 - x, x > 0, x % 2, x += y, ...
#pragma once
#include <concepts>
#include <cstddef>

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
/// ops::mod(x, y): the remainder with the sign of y, as in Python.
inline Tensor operator%(const Tensor& x, const Tensor& y) { return ops::mod(x, y); }
/// ops::negative(x).
inline Tensor operator-(const Tensor& x) { return ops::negative(x); }
/// x itself.
inline Tensor operator+(const Tensor& x) { return x; }

/// Makes `x` the handle of x + y. Other handles keep what they had.
inline Tensor& operator+=(Tensor& x, const Tensor& y) { return x = x + y; }
/// The same for x - y.
inline Tensor& operator-=(Tensor& x, const Tensor& y) { return x = x - y; }
/// The same for x * y.
inline Tensor& operator*=(Tensor& x, const Tensor& y) { return x = x * y; }
/// The same for x / y.
inline Tensor& operator/=(Tensor& x, const Tensor& y) { return x = x / y; }
/// The same for x % y.
inline Tensor& operator%=(Tensor& x, const Tensor& y) { return x = x % y; }

/// ops::equal(x, y): a bool for each element.
inline Condition operator==(const Tensor& x, const Tensor& y) { return ops::equal(x, y); }
/// ops::not_equal(x, y): a bool for each element.
inline Condition operator!=(const Tensor& x, const Tensor& y) { return ops::not_equal(x, y); }
/// Whether there is no tensor: `x == nullptr`. No function of std::nullptr_t, which would take
/// `x == 0` as well.
template <std::same_as<std::nullptr_t> N>
bool operator==(const Tensor& x, N) {
  return x.impl() == nullptr;
}
/// Whether there is a tensor.
template <std::same_as<std::nullptr_t> N>
bool operator!=(const Tensor& x, N) {
  return x.impl() != nullptr;
}
/// ops::less(x, y): a bool for each element.
inline Condition operator<(const Tensor& x, const Tensor& y) { return ops::less(x, y); }
/// ops::less_equal(x, y): a bool for each element.
inline Condition operator<=(const Tensor& x, const Tensor& y) { return ops::less_equal(x, y); }
/// ops::greater(x, y): a bool for each element.
inline Condition operator>(const Tensor& x, const Tensor& y) { return ops::greater(x, y); }
/// ops::greater_equal(x, y): a bool for each element.
inline Condition operator>=(const Tensor& x, const Tensor& y) { return ops::greater_equal(x, y); }

/// ops::logical_and of two tensors of bools, else ops::bitwise_and.
Condition operator&(const Tensor& x, const Tensor& y);
/// ops::logical_or of two tensors of bools, else ops::bitwise_or.
Condition operator|(const Tensor& x, const Tensor& y);
/// ops::logical_xor of two tensors of bools, else ops::bitwise_xor.
Condition operator^(const Tensor& x, const Tensor& y);
/// ops::logical_not of a tensor of bools, else ops::bitwise_not.
Condition operator~(const Tensor& x);
/// ops::left_shift(x, y), of integers.
Tensor operator<<(const Tensor& x, const Tensor& y);
/// ops::right_shift(x, y), of integers.
Tensor operator>>(const Tensor& x, const Tensor& y);

/// Makes `x` the handle of x & y. Other handles keep what they had.
inline Tensor& operator&=(Tensor& x, const Tensor& y) { return x = x & y; }
/// The same for x | y.
inline Tensor& operator|=(Tensor& x, const Tensor& y) { return x = x | y; }
/// The same for x ^ y.
inline Tensor& operator^=(Tensor& x, const Tensor& y) { return x = x ^ y; }
/// The same for x << y.
inline Tensor& operator<<=(Tensor& x, const Tensor& y) { return x = x << y; }
/// The same for x >> y.
inline Tensor& operator>>=(Tensor& x, const Tensor& y) { return x = x >> y; }

}  // namespace cornu
