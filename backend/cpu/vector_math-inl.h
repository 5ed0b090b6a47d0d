// The functions of opcodes.inc on vectors. Each comment states the largest error in float32,
// measured against float64 over the whole range by tests/backend/opcodes_test.cpp; float64 is
// within a few ULP. Included once per target.
#if defined(CORNU_VECTOR_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_VECTOR_MATH_INL_H
#undef CORNU_VECTOR_MATH_INL_H
#else
#define CORNU_VECTOR_MATH_INL_H
#endif

#include <hwy/contrib/math/math-inl.h>

#include "scalar_math.h"
#include "vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

template <class T>
inline constexpr bool is_single = std::is_same_v<T, float>;

template <class D>
HWY_INLINE auto rounded(D half, Vector<double> x) {
#if HWY_TARGET == HWY_SCALAR  // its DemoteTo has no infinities
  return hn::Set(half, static_cast<float>(hn::GetLane(x.raw)));
#else
  return hn::DemoteTo(half, x.raw);
#endif
}

/// F of float vectors computed in double and rounded once: below 0.51 ULP.
template <class F, class... Operands>
HWY_INLINE Vector<float> via_double(Operands... operands) {
  const Tag<float> d;
  const Tag<double> d64;
  const hn::Rebind<float, Tag<double>> half;
  constexpr size_t lanes = hn::MaxLanes(d), step = hn::MaxLanes(d64);
  HWY_ALIGN float values[sizeof...(operands)][lanes];
  size_t k = 0;
  (hn::Store(operands.raw, d, values[k++]), ...);
  HWY_ALIGN float results[lanes];
  for (size_t i = 0; i < lanes; i += step) {
    const Vector<double> a{hn::PromoteTo(d64, hn::Load(half, values[0] + i))};
    if constexpr (sizeof...(operands) == 1) {
      hn::Store(rounded(half, F::call(a)), half, results + i);
    } else {
      const Vector<double> b{hn::PromoteTo(d64, hn::Load(half, values[1] + i))};
      hn::Store(rounded(half, F::call(a, b)), half, results + i);
    }
  }
  return {hn::Load(d, results)};
}

/// 1 ULP. Denormal results are kept.
template <class T>
HWY_INLINE Vector<T> exp(Vector<T> a) {
  // Highway's range ends where the result overflows; its 0 for NaN is undone.
  const Vector<T> bounded = min(a, splat<T>(is_single<T> ? 104 : 720));
  return select(is_nan(a), a, Vector<T>{hn::Exp(Tag<T>(), bounded.raw)});
}

/// 4 ULP.
template <class T>
HWY_INLINE Vector<T> expm1(Vector<T> a) {
  const Vector<T> bounded = min(a, splat<T>(is_single<T> ? 104 : 720));
  return select(a == splat<T>(0), a, Vector<T>{hn::Expm1(Tag<T>(), bounded.raw)});
}

/// `result` where a is positive and finite; else the limits of a logarithm.
template <class T>
HWY_INLINE Vector<T> with_log_limits(Vector<T> a, Vector<T> result) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Vector<T> zero = splat<T>(0);
  result = select(a > zero, result, splat<T>(std::numeric_limits<double>::quiet_NaN()));
  result = select(a == zero, splat<T>(-infinity), result);
  return select(a == splat<T>(infinity), a, result);
}

/// 1 ULP, denormal arguments too.
template <class T>
HWY_INLINE Vector<T> log(Vector<T> a) {
  return with_log_limits(a, Vector<T>{hn::Log(Tag<T>(), a.raw)});
}

/// 3 ULP.
template <class T>
HWY_INLINE Vector<T> log2(Vector<T> a) {
  return log(a) * splat<T>(1.44269504088896340735992);
}

/// 3 ULP.
template <class T>
HWY_INLINE Vector<T> log10(Vector<T> a) {
  return log(a) * splat<T>(0.4342944819032518276511);
}

/// 2 ULP.
template <class T>
HWY_INLINE Vector<T> log1p(Vector<T> a) {
  // Limits follow from 1 + a; near 0 the sum has lost a's digits, which select gives back.
  const Vector<T> result = with_log_limits(a + splat<T>(1), Vector<T>{hn::Log1p(Tag<T>(), a.raw)});
  return select(a == splat<T>(0), a, result);
}

/// 3 ULP; beyond 39000 (1e8 in double) the standard library's.
template <class T>
HWY_INLINE Vector<T> sin(Vector<T> a) {
  // Highway reduces the argument with a fixed number of digits of pi; beyond, they do not suffice.
  if (!all(abs(a) < splat<T>(is_single<T> ? 39000 : 1e8))) return lanewise<T>(scalar::sin<T>, a);
  return {hn::Sin(Tag<T>(), a.raw)};
}

/// 3 ULP; beyond 39000 (1e8 in double) the standard library's.
template <class T>
HWY_INLINE Vector<T> cos(Vector<T> a) {
  if (!all(abs(a) < splat<T>(is_single<T> ? 39000 : 1e8))) return lanewise<T>(scalar::cos<T>, a);
  return {hn::Cos(Tag<T>(), a.raw)};
}

/// 2 ULP; NaN outside [-1, 1].
template <class T>
HWY_INLINE Vector<T> asin(Vector<T> a) {
  return {hn::Asin(Tag<T>(), a.raw)};
}

/// 2 ULP; NaN outside [-1, 1].
template <class T>
HWY_INLINE Vector<T> acos(Vector<T> a) {
  return {hn::Acos(Tag<T>(), a.raw)};
}

/// 3 ULP.
template <class T>
HWY_INLINE Vector<T> atan(Vector<T> a) {
  return {hn::Atan(Tag<T>(), a.raw)};
}

/// 4 ULP.
template <class T>
HWY_INLINE Vector<T> tanh(Vector<T> a) {
  return {hn::Tanh(Tag<T>(), a.raw)};
}

struct Tan {
  static HWY_INLINE Vector<double> call(Vector<double> a) { return sin(a) / cos(a); }
};
struct Sinh {
  static HWY_INLINE Vector<double> call(Vector<double> a) {
    const Vector<double> x = abs(a), half = splat<double>(0.5), root = exp(x * half);
    // Halves of the exponent, so that the result overflows and not a step before it.
    const Vector<double> large = half * root * root - half / root / root;
    const Vector<double> y = expm1(min(x, splat<double>(1)));
    const Vector<double> small = half * (y + y / (y + splat<double>(1)));
    return copy_sign(select(x < splat<double>(1), small, large), a);
  }
};
struct Cosh {
  static HWY_INLINE Vector<double> call(Vector<double> a) {
    const Vector<double> half = splat<double>(0.5), root = exp(abs(a) * half);
    return half * root * root + half / root / root;
  }
};
struct Asinh {
  static HWY_INLINE Vector<double> call(Vector<double> a) {
    const Vector<double> result{hn::Asinh(Tag<double>(), a.raw)};
    return select(is_finite(a), result, a);
  }
};
struct Acosh {
  static HWY_INLINE Vector<double> call(Vector<double> a) {
    const Vector<double> result{hn::Acosh(Tag<double>(), a.raw)};
    const Vector<double> inside = select(
        a < splat<double>(1), splat<double>(std::numeric_limits<double>::quiet_NaN()), result);
    const Mask<double> passed = is_inf(a) | is_nan(a);
    return select(passed & !(a < splat<double>(0)), a, inside);
  }
};
struct Atanh {
  static HWY_INLINE Vector<double> call(Vector<double> a) {
    const Vector<double> x = abs(a);
    return copy_sign(splat<double>(0.5) * log1p((x + x) / (splat<double>(1) - x)), a);
  }
};

/// 0.51 ULP.
template <class T>
HWY_INLINE Vector<T> tan(Vector<T> a) {
  if constexpr (is_single<T>)
    return via_double<Tan>(a);
  else
    return Tan::call(a);
}
/// 0.51 ULP.
template <class T>
HWY_INLINE Vector<T> sinh(Vector<T> a) {
  if constexpr (is_single<T>)
    return via_double<Sinh>(a);
  else
    return Sinh::call(a);
}
/// 0.51 ULP.
template <class T>
HWY_INLINE Vector<T> cosh(Vector<T> a) {
  if constexpr (is_single<T>)
    return via_double<Cosh>(a);
  else
    return Cosh::call(a);
}
/// 0.51 ULP.
template <class T>
HWY_INLINE Vector<T> asinh(Vector<T> a) {
  if constexpr (is_single<T>)
    return via_double<Asinh>(a);
  else
    return Asinh::call(a);
}
/// 0.51 ULP; NaN below 1.
template <class T>
HWY_INLINE Vector<T> acosh(Vector<T> a) {
  if constexpr (is_single<T>)
    return via_double<Acosh>(a);
  else
    return Acosh::call(a);
}
/// 0.51 ULP; NaN outside [-1, 1].
template <class T>
HWY_INLINE Vector<T> atanh(Vector<T> a) {
  if constexpr (is_single<T>)
    return via_double<Atanh>(a);
  else
    return Atanh::call(a);
}

/// 1.4 ULP in float32 (own minimax polynomials); float64 is the standard library's.
template <class T>
HWY_INLINE Vector<T> erf(Vector<T> a) {
  if constexpr (!is_single<T>) {
    return lanewise<T>(scalar::erf, a);
  } else {
    const Vector<T> x = abs(a), square = a * a;
    // erf(a) = a + a p(a^2) below 0.93.
    Vector<T> p = splat<T>(-0.0005953883519396186);
    for (double c : {0.004985974635928869, -0.026761749759316444, 0.11281684041023254,
                     -0.3761247992515564, 0.12837915122509003})
      p = fma(p, square, splat<T>(c));
    const Vector<T> small = fma(p, a, a);
    // erf(x) = 1 - exp(-x q(x)) above; from 3.95 on it rounds to 1.
    Vector<T> q = splat<T>(1.0433119314257056e-05);
    const Vector<T> bounded{hn::Min(x.raw, splat<T>(3.95).raw)};
    for (double c : {-0.000314858159981668, 0.0036103420425206423, -0.023694565519690514,
                     0.10615904629230499, 0.6351980566978455, 1.1286370754241943})
      q = fma(q, bounded, splat<T>(c));
    const Vector<T> decay{hn::Exp(Tag<T>(), (-(q * bounded)).raw)};
    const Vector<T> large = copy_sign(splat<T>(1) - decay, a);
    return select(x < splat<T>(0.93), small, select(is_nan(a), a, large));
  }
}

/// 4 ULP in float32 (M. Giles, "Approximating the erfinv function", 2010); infinite at -1 and 1.
template <class T>
HWY_INLINE Vector<T> erfinv(Vector<T> a) {
  if constexpr (!is_single<T>) {
    return lanewise<T>(scalar::erfinv, a);
  } else {
    // log(1 - a^2), from the factors where the square's rounding would show.
    const Vector<T> one = splat<T>(1), x = abs(a);
    const Vector<T> w = -select(x < splat<T>(0.5), log1p(-(a * a)), log((one - x) * (one + x)));
    const Vector<T> near = w - splat<T>(2.5);
    Vector<T> p = splat<T>(2.81022636e-08);
    for (double c : {3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
                     -0.00417768164, 0.246640727, 1.50140941})
      p = fma(p, near, splat<T>(c));
    const Vector<T> far = sqrt(max(w, splat<T>(0))) - splat<T>(3);
    Vector<T> q = splat<T>(-0.000200214257);
    for (double c : {0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
                     0.00943887047, 1.00167406, 2.83297682})
      q = fma(q, far, splat<T>(c));
    const Vector<T> result = select(w < splat<T>(5), p, q) * a;
    const Vector<T> infinite = a * splat<T>(std::numeric_limits<double>::infinity());
    return select(abs(a) == splat<T>(1), infinite, result);
  }
}

/// 0.51 ULP away from the zeros at 1 and 2 in float32: the scalar double function of each lane.
HWY_INLINE Vector<double> lgamma(Vector<double> a) { return lanewise<double>(scalar::lgamma, a); }
HWY_INLINE Vector<double> digamma(Vector<double> a) { return lanewise<double>(scalar::digamma, a); }
struct LogGamma {
  static HWY_INLINE Vector<double> call(Vector<double> a) { return lgamma(a); }
};
struct Digamma {
  static HWY_INLINE Vector<double> call(Vector<double> a) { return digamma(a); }
};
HWY_INLINE Vector<float> lgamma(Vector<float> a) { return via_double<LogGamma>(a); }
HWY_INLINE Vector<float> digamma(Vector<float> a) { return via_double<Digamma>(a); }

// The nearest number of a 16-bit float, ties to even: what tile_convert.cpp stores.
template <class T>
HWY_INLINE Vector<T> round_bfloat16(Vector<T> a) {
  if constexpr (is_single<T>) {
    const hn::RebindToUnsigned<Tag<float>> d;
    const auto bits = hn::BitCast(d, a.raw);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
    // Half of the last place, less one bit unless the result is odd: ties go to even. A carry into
    // the exponent is right as well.
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7FFF)));
    // A NaN whose digits are all in the lower half would become infinity.
    const auto quiet = hn::Or(bits, hn::Set(d, 0x400000));
    const auto high = hn::Set(d, 0xFFFF0000);
    const auto as_float = [&](auto x) { return hn::BitCast(Tag<float>(), hn::And(x, high)); };
    return select(is_nan(a), Vector<T>{as_float(quiet)}, Vector<T>{as_float(rounded)});
  } else {
    return lanewise<T>(scalar::round_bfloat16<T>, a);
  }
}
template <class T>
HWY_INLINE Vector<T> round_float16(Vector<T> a) {
#if HWY_TARGET <= HWY_AVX2  // the portable target emulates halves without rounding
  if constexpr (is_single<T>) {
    const hn::Rebind<hwy::float16_t, Tag<float>> half;
    return {hn::PromoteTo(Tag<float>(), hn::DemoteTo(half, a.raw))};
  }
#endif
  return lanewise<T>(scalar::round_float16<T>, a);
}

// The bits of the nearest 8-bit float, ties to even, of which there are `digits` in a fraction and
// whose exponents are less by `shift` than a float's: `most` for what is too large, `nan` of NaN.
template <uint32_t digits, uint32_t shift, uint32_t most, uint32_t nan>
HWY_INLINE Vector<float> float8_bits(Vector<float> a) {
  const hn::RebindToUnsigned<Tag<float>> d;
  constexpr uint32_t cut = 23 - digits;
  const auto bits = hn::BitCast(d, a.raw), size = hn::And(bits, hn::Set(d, 0x7FFFFFFF));
  // Half of the last place, less one bit unless the result is odd.
  const auto odd = hn::And(hn::ShiftRight<cut>(size), hn::Set(d, 1));
  const auto bias = hn::Set(d, (1u << (cut - 1)) - 1 - (shift << 23));
  const auto normal = hn::ShiftRight<cut>(hn::Add(hn::Add(size, odd), bias));
  // The sum with this has the least 8-bit float in its last place.
  const auto large = hn::Set(d, (shift + 1 + cut) << 23);
  const auto sum = hn::Add(hn::BitCast(Tag<float>(), size), hn::BitCast(Tag<float>(), large));
  const auto small = hn::Sub(hn::BitCast(d, sum), large);
  const auto is_small = hn::Lt(size, hn::Set(d, (shift + 1) << 23));
  const auto nearest = hn::Min(hn::IfThenElse(is_small, small, normal), hn::Set(d, most));
  const auto sign = hn::And(hn::ShiftRight<24>(bits), hn::Set(d, 0x80));
  const auto is_nan = hn::Gt(size, hn::Set(d, 0x7F800000));
  const auto result = hn::IfThenElse(is_nan, hn::Set(d, nan), hn::Or(nearest, sign));
  return {hn::ConvertTo(Tag<float>(), hn::BitCast(hn::RebindToSigned<Tag<float>>(), result))};
}
// The number of such bits: infinity for `infinite`, NaN from `nan` on.
template <uint32_t digits, uint32_t shift, uint32_t infinite, uint32_t nan>
HWY_INLINE Vector<float> float8_number(Vector<float> a) {
  const hn::RebindToUnsigned<Tag<float>> d;
  const hn::RebindToSigned<Tag<float>> integers;
  constexpr uint32_t cut = 23 - digits;
  const auto byte = hn::Min(a.raw, hn::Set(Tag<float>(), 255));
  const auto is_positive = hn::Gt(a.raw, hn::Zero(Tag<float>()));
  const auto bits = hn::BitCast(d, hn::ConvertTo(integers, hn::IfThenElseZero(is_positive, byte)));
  const auto size = hn::And(bits, hn::Set(d, 0x7F));
  const auto normal = hn::Add(hn::ShiftLeft<cut>(size), hn::Set(d, shift << 23));
  // Below the least normal number all are multiples of the least.
  const auto least = hn::BitCast(Tag<float>(), hn::Set(d, (shift + 1 - digits) << 23));
  const auto counted = hn::ConvertTo(Tag<float>(), hn::BitCast(integers, size));
  const auto small = hn::BitCast(d, hn::Mul(counted, least));
  auto number = hn::IfThenElse(hn::Lt(size, hn::Set(d, 1u << digits)), small, normal);
  number = hn::IfThenElse(hn::Eq(size, hn::Set(d, infinite)), hn::Set(d, 0x7F800000), number);
  number = hn::IfThenElse(hn::Lt(size, hn::Set(d, nan)), number, hn::Set(d, 0x7FC00000));
  return {hn::BitCast(Tag<float>(), hn::Or(number, hn::ShiftLeft<24>(hn::Xor(bits, size))))};
}

template <class T>
HWY_INLINE Vector<T> e4m3_bits(Vector<T> a) {
  if constexpr (is_single<T>)
    return float8_bits<3, 120, 0x7F, 0x7F>(a);
  else
    return lanewise<T>(scalar::float8_bits<DType::float8_e4m3fn, T>, a);
}
template <class T>
HWY_INLINE Vector<T> e5m2_bits(Vector<T> a) {
  if constexpr (is_single<T>)
    return float8_bits<2, 112, 0x7C, 0x7E>(a);
  else
    return lanewise<T>(scalar::float8_bits<DType::float8_e5m2, T>, a);
}
template <class T>
HWY_INLINE Vector<T> e4m3_number(Vector<T> a) {
  if constexpr (is_single<T>)
    return float8_number<3, 120, 0x7F, 0x7F>(a);
  else
    return lanewise<T>(scalar::float8_number<DType::float8_e4m3fn, T>, a);
}
template <class T>
HWY_INLINE Vector<T> e5m2_number(Vector<T> a) {
  if constexpr (is_single<T>)
    return float8_number<2, 112, 0x7C, 0x7D>(a);
  else
    return lanewise<T>(scalar::float8_number<DType::float8_e5m2, T>, a);
}

/// 1 / (1 + exp(-a)), 3 ULP; the tail keeps its relative accuracy.
template <class T>
HWY_INLINE Vector<T> sigmoid(Vector<T> a) {
  // Only exponentials of negative numbers, which cannot overflow.
  const Vector<T> one = splat<T>(1), e{hn::Exp(Tag<T>(), (-abs(a)).raw)};
  const Vector<T> result = select(a < splat<T>(0), e, one) / (one + e);
  return select(is_nan(a), a, result);
}

/// log(1 + exp(a)), 4 ULP.
template <class T>
HWY_INLINE Vector<T> softplus(Vector<T> a) {
  const Vector<T> e{hn::Exp(Tag<T>(), (-abs(a)).raw)};
  return max(a, splat<T>(0)) + Vector<T>{hn::Log1p(Tag<T>(), e.raw)};
}

/// The remainder of a / b with the sign of b, and the rounded-down quotient that belongs to it.
struct Division {
  Vector<double> quotient, rest;
  Mask<double> exact;
};
HWY_INLINE Division divide(Vector<double> a, Vector<double> b, double limit) {
  const Vector<double> zero = splat<double>(0);
  const Vector<double> direction = copy_sign(splat<double>(1), a / b);
  // Toward zero first: that remainder is exact. The quotient may have been rounded up by one.
  Vector<double> quotient = trunc(a / b);
  Vector<double> rest = fma(-quotient, b, a);
  const Mask<double> beyond = ((rest < zero) & (a > zero)) | ((rest > zero) & (a < zero));
  quotient = select(beyond, quotient - direction, quotient);
  rest = select(beyond, rest + direction * b, rest);
  const Mask<double> down = ((rest < zero) & (b > zero)) | ((rest > zero) & (b < zero));
  const Mask<double> exact = (abs(quotient) < splat<double>(limit)) & is_finite(b) & (a != zero);
  return {select(down, quotient - splat<double>(1), quotient), select(down, rest + b, rest), exact};
}

// Quotients that a float64 remainder cannot resolve exactly, and zeros, infinities and NaN, take
// the scalar path. Float32 products are exact in double; float64 needs a true fused multiply-add.
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
inline constexpr double exact_quotient = 0;
#else
inline constexpr double exact_quotient = 4503599627370496.0;
#endif

struct FloorDivide {
  static HWY_INLINE Vector<double> of(Vector<double> a, Vector<double> b, double limit) {
    const Division division = divide(a, b, limit);
    if (!all(division.exact)) return lanewise<double>(scalar::floor_divide<double>, a, b);
    return division.quotient;
  }
  static HWY_INLINE Vector<double> call(Vector<double> a, Vector<double> b) {
    return of(a, b, 268435456.0);
  }
};
struct Mod {
  static HWY_INLINE Vector<double> of(Vector<double> a, Vector<double> b, double limit) {
    const Division division = divide(a, b, limit);
    if (!all(division.exact)) return lanewise<double>(scalar::mod<double>, a, b);
    return copy_sign(division.rest, b);
  }
  static HWY_INLINE Vector<double> call(Vector<double> a, Vector<double> b) {
    return of(a, b, 268435456.0);
  }
};

/// Exact quotient rounded down, NumPy's way.
template <class T>
HWY_INLINE Vector<T> floor_divide(Vector<T> a, Vector<T> b) {
  if constexpr (is_single<T>)
    return via_double<FloorDivide>(a, b);
  else if constexpr (is_real<T>)
    return FloorDivide::of(a, b, exact_quotient);
  else
    return lanewise<T>(scalar::floor_divide<T>, a, b);
}

/// Exact (float32: one rounding) remainder with the sign of the divisor.
template <class T>
HWY_INLINE Vector<T> mod(Vector<T> a, Vector<T> b) {
  if constexpr (is_single<T>)
    return via_double<Mod>(a, b);
  else if constexpr (is_real<T>)
    return Mod::of(a, b, exact_quotient);
  else
    return lanewise<T>(scalar::mod<T>, a, b);
}

struct Power {
  // For a > 0: the error of b log(a) in double is far below a float's.
  static HWY_INLINE Vector<double> call(Vector<double> a, Vector<double> b) {
    return exp(b * Vector<double>{hn::Log(Tag<double>(), a.raw)});
  }
};

/// 0.51 ULP in float32; float64 is the standard library's.
template <class T>
HWY_INLINE Vector<T> pow(Vector<T> a, Vector<T> b) {
  if constexpr (is_single<T>) {
    if (all((a > splat<T>(0)) & is_finite(a) & is_finite(b))) return via_double<Power>(a, b);
  }
  return lanewise<T>(scalar::pow<T>, a, b);
}

/// 1.5 ULP: the standard library's.
template <class T>
HWY_INLINE Vector<T> atan2(Vector<T> a, Vector<T> b) {
  return lanewise<T>(scalar::atan2<T>, a, b);
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
