// Activations of recurrent layers: shorter than those of vector_math-inl.h, as they take half as
// long as a product of a step. Included once per target.
#if defined(CORNU_RNN_GATES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_RNN_GATES_INL_H
#undef CORNU_RNN_GATES_INL_H
#else
#define CORNU_RNN_GATES_INL_H
#endif

#include "vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace rnn {

// On x86 a NaN in the second operand is passed on, hence the bound comes first.
template <class T>
HWY_INLINE Vector<T> between(double low, double high, Vector<T> a) {
  const Vector<T> bounded{hn::Max(splat<T>(low).raw, hn::Min(splat<T>(high).raw, a.raw))};
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR
  return select(is_nan(a), a, bounded);
#else
  return bounded;
#endif
}

/// c[0] x^(n-1) + ... + c[n-1].
template <class T, size_t N>
HWY_INLINE Vector<T> polynomial(Vector<T> x, const double (&c)[N]) {
  Vector<T> sum = splat<T>(c[0]);
  for (size_t i = 1; i < N; ++i) sum = fma(sum, x, splat<T>(c[i]));
  return sum;
}

/// 3 ULP in float32 above exp(-87), which is the least result.
template <class T>
HWY_INLINE Vector<T> gate_sigmoid(Vector<T> a) {
  if constexpr (!is_single<T>) {
    return sigmoid(a);
  } else {
    const Vector<T> one = splat<T>(1), x = between(-87, 88, -a);
    // exp(x) = 2^n exp(r): adding 1.5 * 2^23 rounds to integers, which are the lowest bits then.
    const Vector<T> magic = splat<T>(12582912 + 127);
    const Vector<T> shifted = fma(x, splat<T>(1.44269504088896340736), magic), n = shifted - magic;
    const Vector<T> r =
        fma(n, splat<T>(-1.428606765330187e-06), fma(n, splat<T>(-0.693145751953125), x));
    // A minimax polynomial with an error of 3e-9.
    const Vector<T> p = polynomial(r, {0.00138145, 0.00836874, 0.04166839, 0.1666652, 0.49999993});
    const Vector<T> exp_r = fma(r * r, p, r) + one;
    const hn::RebindToUnsigned<Tag<T>> bits;
    const Vector<T> power{hn::BitCast(Tag<T>(), hn::ShiftLeft<23>(hn::BitCast(bits, shifted.raw)))};
    return one / fma(exp_r, power, one);
  }
}

/// 6 ULP in float32: a minimax quotient of polynomials up to where tanh rounds to 1.
template <class T>
HWY_INLINE Vector<T> gate_tanh(Vector<T> a) {
  if constexpr (!is_single<T>) {
    return tanh(a);
  } else {
    const Vector<T> x = between(-8.7, 8.7, a), square = x * x;
    const Vector<T> p =
        polynomial(square, {1.3897399826407849e-08, 2.099366209268385e-05, 0.0035187335184759484,
                            0.13400457796747636, 0.9999999851708516});
    const Vector<T> q = polynomial(square, {7.996431567682639e-07, 0.00033236308893433913,
                                            0.025964853852159648, 0.4673377803248276, 1.0});
    return between(-1, 1, x * p / q);
  }
}

}  // namespace rnn
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
