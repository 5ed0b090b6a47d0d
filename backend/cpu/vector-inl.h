// Value classes over Highway's vectors, so that one expression serves every element type and every
// instruction set: arithmetic, comparisons, selection and partial loads. Included once per target.
#if defined(CORNU_VECTOR_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_VECTOR_INL_H
#undef CORNU_VECTOR_INL_H
#else
#define CORNU_VECTOR_INL_H
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "scalar_math.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

template <class T>
inline constexpr bool is_real = std::is_floating_point_v<T>;

/// A full vector of T.
template <class T>
struct Vector {
  using Raw = hn::Vec<Tag<T>>;
  Raw raw;
};

/// One truth value per lane of a Vector<T>.
template <class T>
struct Mask {
  using Raw = hn::Mask<Tag<T>>;
  Raw raw;
};

template <class T>
HWY_INLINE Vector<T> wrap(hn::Vec<Tag<T>> raw) {
  return {raw};
}

template <class T>
HWY_INLINE Vector<T> splat(double x) {
  return {hn::Set(Tag<T>(), static_cast<T>(x))};
}

/// num(x) in the expressions of opcodes.inc.
template <class T>
struct Number {
  HWY_INLINE Vector<T> operator()(double x) const { return splat<T>(x); }
};

template <class T>
HWY_INLINE Vector<T> load(const T* from) {
  return {hn::LoadU(Tag<T>(), from)};
}

template <class T>
HWY_INLINE void store(Vector<T> x, T* to) {
  hn::StoreU(x.raw, Tag<T>(), to);
}

// Masked loads and stores do not touch the lanes left out on AVX2 and later; the portable target
// goes through a buffer.
/// The first `count` lanes from memory, the others from `rest`.
template <class T>
HWY_INLINE Vector<T> load_first(const T* from, size_t count, Vector<T> rest) {
  const Tag<T> d;
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(rest.raw, d, lanes);
  std::memcpy(lanes, from, count * sizeof(T));
  return {hn::Load(d, lanes)};
#else
  const auto mask = hn::FirstN(d, count);
  return {hn::IfThenElse(mask, hn::MaskedLoad(mask, d, from), rest.raw)};
#endif
}

template <class T>
HWY_INLINE void store_first(Vector<T> x, T* to, size_t count) {
  const Tag<T> d;
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(x.raw, d, lanes);
  std::memcpy(to, lanes, count * sizeof(T));
#else
  hn::BlendedStore(x.raw, hn::FirstN(d, count), d, to);
#endif
}

/// The zero that a number below the normal range counts as, with its sign: functions of the
/// standard library look at bits, and give wrong results where arithmetic takes it for zero.
template <class T>
HWY_INLINE T without_denormals(T a) {
  if constexpr (std::is_floating_point_v<T>)
    return std::fabs(a) < std::numeric_limits<T>::min() ? std::copysign(T(0), a) : a;
  else
    return a;
}

/// f of each lane, for what has no vector form or is rare.
template <class T>
HWY_INLINE Vector<T> lanewise(T (*f)(T), Vector<T> a) {
  const Tag<T> d;
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(a.raw, d, lanes);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = f(without_denormals(lanes[i]));
  return {hn::Load(d, lanes)};
}

template <class T>
HWY_INLINE Vector<T> lanewise(T (*f)(T, T), Vector<T> a, Vector<T> b) {
  const Tag<T> d;
  HWY_ALIGN T lanes[hn::MaxLanes(d)], others[hn::MaxLanes(d)];
  hn::Store(a.raw, d, lanes);
  hn::Store(b.raw, d, others);
  for (size_t i = 0; i < hn::Lanes(d); ++i)
    lanes[i] = f(without_denormals(lanes[i]), without_denormals(others[i]));
  return {hn::Load(d, lanes)};
}

template <class T>
HWY_INLINE Vector<T> operator+(Vector<T> a, Vector<T> b) {
  return {hn::Add(a.raw, b.raw)};
}
template <class T>
HWY_INLINE Vector<T> operator-(Vector<T> a, Vector<T> b) {
  return {hn::Sub(a.raw, b.raw)};
}
template <class T>
HWY_INLINE Vector<T> operator/(Vector<T> a, Vector<T> b) {
  return {hn::Div(a.raw, b.raw)};
}

template <class T>
HWY_INLINE Vector<T> operator*(Vector<T> a, Vector<T> b) {
  if constexpr (sizeof(T) == 8 && !is_real<T>) {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
    return lanewise<T>(scalar::multiply<T>, a, b);
#else
    // a * b mod 2^64 from 32-bit halves.
    const hn::Repartition<uint32_t, Tag<T>> d32;
    const Tag<uint64_t> d;
    const auto x = hn::BitCast(d, a.raw), y = hn::BitCast(d, b.raw);
    const auto low = hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, y));
    const auto cross =
        hn::Add(hn::MulEven(hn::BitCast(d32, hn::ShiftRight<32>(x)), hn::BitCast(d32, y)),
                hn::MulEven(hn::BitCast(d32, x), hn::BitCast(d32, hn::ShiftRight<32>(y))));
    return {hn::BitCast(Tag<T>(), hn::Add(low, hn::ShiftLeft<32>(cross)))};
#endif
  } else {
    return {hn::Mul(a.raw, b.raw)};
  }
}

template <class T>
HWY_INLINE Vector<T> operator-(Vector<T> a) {
  if constexpr (is_real<T>)
    return {hn::Neg(a.raw)};
  else
    return {hn::Sub(hn::Zero(Tag<T>()), a.raw)};
}

template <class T>
HWY_INLINE Vector<T> operator~(Vector<T> a) {
  return {hn::Not(a.raw)};
}
template <class T>
HWY_INLINE Vector<T> operator&(Vector<T> a, Vector<T> b) {
  return {hn::And(a.raw, b.raw)};
}
template <class T>
HWY_INLINE Vector<T> operator|(Vector<T> a, Vector<T> b) {
  return {hn::Or(a.raw, b.raw)};
}
template <class T>
HWY_INLINE Vector<T> operator^(Vector<T> a, Vector<T> b) {
  return {hn::Xor(a.raw, b.raw)};
}

template <class T>
HWY_INLINE Mask<T> operator==(Vector<T> a, Vector<T> b) {
  return {hn::Eq(a.raw, b.raw)};
}
template <class T>
HWY_INLINE Mask<T> operator<(Vector<T> a, Vector<T> b) {
  return {hn::Lt(a.raw, b.raw)};
}
template <class T>
HWY_INLINE Mask<T> operator>(Vector<T> a, Vector<T> b) {
  return b < a;
}
template <class T>
HWY_INLINE Mask<T> operator!(Mask<T> m) {
  return {hn::Not(m.raw)};
}
template <class T>
HWY_INLINE Mask<T> operator!=(Vector<T> a, Vector<T> b) {
  return !(a == b);
}
template <class T>
HWY_INLINE Mask<T> operator<=(Vector<T> a, Vector<T> b) {
  if constexpr (is_real<T>)
    return {hn::Le(a.raw, b.raw)};
  else
    return !(b < a);
}
template <class T>
HWY_INLINE Mask<T> operator>=(Vector<T> a, Vector<T> b) {
  return b <= a;
}
template <class T>
HWY_INLINE Mask<T> operator&(Mask<T> a, Mask<T> b) {
  return {hn::And(a.raw, b.raw)};
}
template <class T>
HWY_INLINE Mask<T> operator|(Mask<T> a, Mask<T> b) {
  return {hn::Or(a.raw, b.raw)};
}

template <class T>
HWY_INLINE bool all(Mask<T> m) {
  return hn::AllTrue(Tag<T>(), m.raw);
}

/// x where the mask holds, else y.
template <class T>
HWY_INLINE Vector<T> select(Mask<T> m, Vector<T> x, Vector<T> y) {
  return {hn::IfThenElse(m.raw, x.raw, y.raw)};
}

/// 1 where the mask holds, else 0.
template <class T>
HWY_INLINE Vector<T> number(Mask<T> m) {
  return {hn::IfThenElseZero(m.raw, hn::Set(Tag<T>(), T(1)))};
}

template <class T>
HWY_INLINE Mask<T> is_nan(Vector<T> a) {
  return a != a;
}

template <class T>
HWY_INLINE Vector<T> abs(Vector<T> a) {
  if constexpr (std::is_unsigned_v<T>)
    return a;
  else
    return {hn::Abs(a.raw)};
}

template <class T>
HWY_INLINE Mask<T> is_inf(Vector<T> a) {
  if constexpr (is_real<T>)
    return abs(a) == splat<T>(std::numeric_limits<double>::infinity());
  else
    return a != a;
}

template <class T>
HWY_INLINE Mask<T> is_finite(Vector<T> a) {
  if constexpr (is_real<T>)
    return abs(a) < splat<T>(std::numeric_limits<double>::infinity());
  else
    return a == a;
}

// NaN in either operand wins. x86's min and max give the second operand when one is NaN.
template <class T>
HWY_INLINE Vector<T> max(Vector<T> a, Vector<T> b) {
  const Vector<T> larger{hn::Max(a.raw, b.raw)};
  if constexpr (!is_real<T>) return larger;
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  return select(is_nan(a), a, select(is_nan(b), b, larger));
#else
  return select(is_nan(a), a, larger);
#endif
}

template <class T>
HWY_INLINE Vector<T> min(Vector<T> a, Vector<T> b) {
  const Vector<T> smaller{hn::Min(a.raw, b.raw)};
  if constexpr (!is_real<T>) return smaller;
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  return select(is_nan(a), a, select(is_nan(b), b, smaller));
#else
  return select(is_nan(a), a, smaller);
#endif
}

/// a * b + c; floats are rounded once, but on the portable target twice.
template <class T>
HWY_INLINE Vector<T> fma(Vector<T> a, Vector<T> b, Vector<T> c) {
  if constexpr (is_real<T>)
    return {hn::MulAdd(a.raw, b.raw, c.raw)};
  else
    return a * b + c;
}

/// -1, 0 or 1; zeros and NaN are passed on.
template <class T>
HWY_INLINE Vector<T> sign(Vector<T> a) {
  const Vector<T> zero = splat<T>(0), one = splat<T>(1);
  if constexpr (std::is_unsigned_v<T>)
    return min(a, one);
  else
    return select(a > zero, one, select(a < zero, -one, a));
}

template <class T>
HWY_INLINE Vector<T> copy_sign(Vector<T> magnitude, Vector<T> sign) {
  return {hn::CopySign(magnitude.raw, sign.raw)};
}

// Rounding is exact; integers are integers already. Ties of `round` go to even.
template <class T>
HWY_INLINE Vector<T> floor(Vector<T> a) {
  if constexpr (is_real<T>)
    return {hn::Floor(a.raw)};
  else
    return a;
}
template <class T>
HWY_INLINE Vector<T> ceil(Vector<T> a) {
  if constexpr (is_real<T>)
    return {hn::Ceil(a.raw)};
  else
    return a;
}
template <class T>
HWY_INLINE Vector<T> round(Vector<T> a) {
  if constexpr (is_real<T>)
    return {hn::Round(a.raw)};
  else
    return a;
}
template <class T>
HWY_INLINE Vector<T> trunc(Vector<T> a) {
  if constexpr (is_real<T>)
    return {hn::Trunc(a.raw)};
  else
    return a;
}
template <class T>
HWY_INLINE Vector<T> sqrt(Vector<T> a) {
  return {hn::Sqrt(a.raw)};
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
