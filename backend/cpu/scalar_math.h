// Scalar functions behind the rare lanes and rare operations of the vector layer.
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../dtype.h"

namespace cornu::backend::cpu::scalar {

/// Logarithm of |gamma(x)|; infinity at zero and the negative integers.
double lgamma(double x);
/// Derivative of lgamma, to about 1e-14 relative away from its zeros; NaN at zero and negative
/// integers.
double digamma(double x);
/// Inverse of erf, to a few ULP: M. Giles, "Approximating the erfinv function" (2010), polished by
/// Newton steps.
double erfinv(double x);

/// The nearest bfloat16 or float16, ties to even; of doubles by way of float.
template <class T>
T round_bfloat16(T x) {
  const float single = static_cast<float>(x);
  const uint32_t bits = std::bit_cast<uint32_t>(single);
  const uint32_t rounded = bits + 0x7FFF + (bits >> 16 & 1), quiet = bits | 0x400000;
  return std::bit_cast<float>((single != single ? quiet : rounded) & 0xFFFF0000);
}
template <class T>
T round_float16(T x) {
  return half_to_float(float_to_half(static_cast<float>(x)));
}

/// The bits of the nearest 8-bit float, or the number of such bits; see float_to_float8.
template <DType dtype, class T>
T float8_bits(T x) {
  const uint8_t bits = float_to_float8(static_cast<float>(x), dtype);
  return static_cast<T>(x != x ? bits & 0x7F : bits);
}
template <DType dtype, class T>
T float8_number(T bits) {
  const T most = 255, byte = bits > 0 ? std::min(bits, most) : 0;
  return static_cast<T>(float8_to_float(static_cast<uint8_t>(byte), dtype));
}

/// NumPy's floor_divide: integers round down and give 0 for a zero divisor; floats agree with mod.
template <class T>
T floor_divide(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (b == 0) return a / b;
    T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(T(0), a / b);
    const T floored = std::floor(quotient);
    return quotient - floored > T(0.5) ? floored + 1 : floored;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return static_cast<T>(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
      const T quotient = a / b;
      return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    } else {
      return a / b;
    }
  }
}

/// Remainder with the divisor's sign (Python, NumPy); integers give 0 for a zero divisor.
template <class T>
T mod(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (b == 0) return std::numeric_limits<T>::quiet_NaN();
    const T rest = std::fmod(a, b);
    if (rest == 0) return std::copysign(T(0), b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (b == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
      const T rest = a % b;
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
      return a % b;
    }
  }
}

/// Power. Integers wrap; a negative exponent gives the reciprocal rounded toward zero.
template <class T>
T pow(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(a, b);
  } else {
    if constexpr (std::is_signed_v<T>) {
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
    }
    // Unsigned, so that overflow wraps.
    std::make_unsigned_t<T> base = a, result = 1;
    for (std::make_unsigned_t<T> rest = b; rest != 0; rest >>= 1, base *= base)
      if (rest & 1) result *= base;
    return static_cast<T>(result);
  }
}

/// Product of integers, wrapping.
template <class T>
T multiply(T a, T b) {
  return static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) *
                        static_cast<std::make_unsigned_t<T>>(b));
}

template <class T>
T atan2(T a, T b) {
  return std::atan2(a, b);
}
template <class T>
T sin(T a) {
  return std::sin(a);
}
template <class T>
T cos(T a) {
  return std::cos(a);
}
inline double erf(double a) { return std::erf(a); }

}  // namespace cornu::backend::cpu::scalar
