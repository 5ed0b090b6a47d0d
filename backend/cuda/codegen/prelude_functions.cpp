// The mathematical functions of generated kernels, and how reductions combine values. They follow
// backend/cpu/vector_math-inl.h and scalar_math.h; what CUDA's library has is its own.
#include "prelude.h"

namespace cornu::backend::cuda {
namespace {

constexpr std::string_view functions_text = R"text(
CORNU_DEVICE float atan2(float a, float b) { return ::atan2f(a, b); }
CORNU_DEVICE double atan2(double a, double b) { return ::atan2(a, b); }

/// Integers wrap; a negative exponent gives the reciprocal rounded toward zero.
template <class T>
CORNU_DEVICE T pow(T a, T b) {
  if constexpr (same<T, float>) {
    return ::powf(a, b);
  } else if constexpr (same<T, double>) {
    return ::pow(a, b);
  } else {
    if constexpr (is_signed<T>)
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
    typename Modular<T>::type base = a, result = 1, rest = b;
    for (; rest != 0; rest >>= 1, base *= base)
      if (rest & 1) result *= base;
    return static_cast<T>(result);
  }
}

template <class T>
CORNU_DEVICE T round_bfloat16(T a) { return convert<T>(convert<BFloat16>(a)); }
template <class T>
CORNU_DEVICE T round_float16(T a) { return convert<T>(convert<Half>(a)); }
template <class T>
CORNU_DEVICE T e4m3_bits(T a) { return static_cast<T>(float_to_e4m3(static_cast<float>(a))); }
template <class T>
CORNU_DEVICE T e5m2_bits(T a) { return static_cast<T>(float_to_e5m2(static_cast<float>(a))); }
template <class T>
CORNU_DEVICE T e4m3_number(T a) { return static_cast<T>(e4m3_to_float(convert<uint8>(a))); }
template <class T>
CORNU_DEVICE T e5m2_number(T a) { return static_cast<T>(e5m2_to_float(convert<uint8>(a))); }

/// Rounds down; integers give 0 for a zero divisor; floats agree with mod.
template <class T>
CORNU_DEVICE T floor_divide(T a, T b) {
  if constexpr (same<T, float>) {
    return static_cast<float>(floor_divide(static_cast<double>(a), static_cast<double>(b)));
  } else if constexpr (same<T, double>) {
    if (b == 0) return a / b;
    const double rest = ::fmod(a, b);
    double quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    if (quotient == 0) return copy_sign(0.0, a / b);
    const double floored = floor(quotient);
    return quotient - floored > 0.5 ? floored + 1 : floored;
  } else {
    if (b == 0) return 0;
    if constexpr (is_signed<T>) {
      if (b == -1) return static_cast<T>(0 - static_cast<typename Modular<T>::type>(a));
      const T quotient = a / b;
      return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
    } else {
      return a / b;
    }
  }
}

/// The remainder with the divisor's sign; integers give 0 for a zero divisor.
template <class T>
CORNU_DEVICE T mod(T a, T b) {
  if constexpr (same<T, float>) {
    return static_cast<float>(mod(static_cast<double>(a), static_cast<double>(b)));
  } else if constexpr (same<T, double>) {
    if (b == 0) return nan<double>();
    const double rest = ::fmod(a, b);
    if (rest == 0) return copy_sign(0.0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
  } else {
    if (b == 0) return 0;
    if constexpr (is_signed<T>) {
      if (b == -1) return 0;
      const T rest = a % b;
      return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    } else {
      return a % b;
    }
  }
}

/// The tail keeps its relative accuracy.
template <class T>
CORNU_DEVICE T sigmoid(T a) {
  const T one = 1, e = exp(-abs(a));
  return a != a ? a : (a < 0 ? e : one) / (one + e);
}
template <class T>
CORNU_DEVICE T softplus(T a) { return max(a, static_cast<T>(0)) + log1p(exp(-abs(a))); }

/// M. Giles, "Approximating the erfinv function" (2010).
CORNU_DEVICE float erfinv(float a) {
  const float x = abs(a);
  if (x == 1) return a * highest<float>();
  // log(1 - a^2), from the factors where the square's rounding would show.
  const float w = -(x < 0.5f ? log1p(-(a * a)) : log((1 - x) * (1 + x)));
  float p;
  if (w < 5) {
    const float n = w - 2.5f;
    p = fma(2.81022636e-08f, n, 3.43273939e-07f);
    p = fma(p, n, -3.5233877e-06f);
    p = fma(p, n, -4.39150654e-06f);
    p = fma(p, n, 0.00021858087f);
    p = fma(p, n, -0.00125372503f);
    p = fma(p, n, -0.00417768164f);
    p = fma(p, n, 0.246640727f);
    p = fma(p, n, 1.50140941f);
  } else {
    const float n = sqrt(max(w, 0.0f)) - 3;
    p = fma(-0.000200214257f, n, 0.000100950558f);
    p = fma(p, n, 0.00134934322f);
    p = fma(p, n, -0.00367342844f);
    p = fma(p, n, 0.00573950773f);
    p = fma(p, n, -0.0076224613f);
    p = fma(p, n, 0.00943887047f);
    p = fma(p, n, 1.00167406f);
    p = fma(p, n, 2.83297682f);
  }
  return p * a;
}
/// The float's result, polished by Newton steps.
CORNU_DEVICE double erfinv(double a) {
  const double target = abs(a);
  if (!(target < 1)) return target == 1 ? copy_sign(highest<double>(), a) : nan<double>();
  double w = -log((1 - target) * (1 + target)), y;
  if (w < 5) {
    y = static_cast<double>(erfinv(static_cast<float>(target)));
    if (target < 1e-30) y = 0.886226925452758 * target;
  } else {
    w = sqrt(w) - 3;
    double p = 0.000100950558 - 0.000200214257 * w;
    p = 0.00134934322 + p * w;
    p = -0.00367342844 + p * w;
    p = 0.00573950773 + p * w;
    p = -0.0076224613 + p * w;
    p = 0.00943887047 + p * w;
    p = 1.00167406 + p * w;
    p = 2.83297682 + p * w;
    y = p * target;
  }
  for (int step = 0; step < 3; ++step) {
    // Beyond 1/2 the complement keeps the digits that erf loses; 1 - target is exact there.
    const double error = target < 0.5 ? erf(y) - target : (1 - target) - ::erfc(y);
    const double newton = error / (1.1283791670955125739 * exp(-y * y));
    y -= newton / (1 + y * newton);
  }
  return copy_sign(y, a);
}

CORNU_DEVICE double lgamma(double a) { return ::lgamma(a); }
CORNU_DEVICE float lgamma(float a) { return static_cast<float>(::lgamma(static_cast<double>(a))); }

CORNU_DEVICE double digamma(double x) {
  if (!(x > lowest<double>())) return nan<double>();
  double reflected = 0;
  if (x <= 0) {
    const double fraction = x - floor(x);
    if (fraction == 0) return nan<double>();
    reflected = 3.14159265358979323846 / tan(3.14159265358979323846 * fraction);
    x = 1 - x;
  }
  double shift = 0;
  for (; x < 10; ++x) shift += 1 / x;
  // Asymptotic series in Bernoulli numbers.
  const double r = 1 / (x * x);
  const double series =
      r * (1.0 / 12 -
           r * (1.0 / 120 -
                r * (1.0 / 252 -
                     r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r * (1.0 / 12)))))));
  return log(x) - 0.5 / x - series - shift - reflected;
}
CORNU_DEVICE float digamma(float x) { return static_cast<float>(digamma(static_cast<double>(x))); }

/// Reductions: how two values become one. Integers wrap, NaN wins.
template <class T>
CORNU_DEVICE T combine_sum(T a, T b) {
  typedef typename Modular<T>::type U;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}
template <class T>
CORNU_DEVICE T combine_product(T a, T b) {
  typedef typename Modular<T>::type U;
  return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
}
template <class T>
CORNU_DEVICE T combine_maximum(T a, T b) { return max(a, b); }
template <class T>
CORNU_DEVICE T combine_minimum(T a, T b) { return min(a, b); }

/// A value and where it stands; -1: none yet.
template <class T> struct Best { T value; int64 index; };

/// The larger (smaller) of two; NaN beats numbers, and of equal values the first wins.
template <bool largest, class T>
CORNU_DEVICE Best<T> combine_best(const Best<T>& a, const Best<T>& b) {
  if (a.index < 0) return b;
  if (b.index < 0) return a;
  const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
  bool second;
  if (a_nan || b_nan) second = a_nan && b_nan ? b.index < a.index : b_nan;
  else if (a.value == b.value) second = b.index < a.index;
  else second = largest ? b.value > a.value : b.value < a.value;
  return second ? b : a;
}

}  // namespace cornu_device
)text";

}  // namespace

std::string_view functions_prelude() { return functions_text; }

}  // namespace cornu::backend::cuda
