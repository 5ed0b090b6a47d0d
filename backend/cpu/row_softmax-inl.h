// Maxima, exponentials and their sums along a row, for softmaxes. Included once per target.
#if defined(CORNU_ROW_SOFTMAX_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_ROW_SOFTMAX_INL_H
#undef CORNU_ROW_SOFTMAX_INL_H
#else
#define CORNU_ROW_SOFTMAX_INL_H
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

/// Combines the lanes pairwise.
template <class T, class F>
HWY_INLINE T fold_lanes(Vector<T> x, F combine) {
  constexpr size_t lanes = hn::MaxLanes(Tag<T>());
  HWY_ALIGN T parts[lanes];
  hn::Store(x.raw, Tag<T>(), parts);
  // In a fixed order, so that results do not depend on the compiler.
  for (size_t half = lanes / 2; half > 0; half /= 2)
    for (size_t k = 0; k < half; ++k) parts[k] = combine(parts[k], parts[k + half]);
  return parts[0];
}

template <class T>
struct Larger {
  HWY_INLINE T operator()(T a, T b) const { return a != a || a > b ? a : b; }
};
template <class T>
struct Sum {
  HWY_INLINE T operator()(T a, T b) const { return a + b; }
};

template <class T>
HWY_INLINE T largest(const T* x, int64_t n) {
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
  const Vector<T> start = splat<T>(-HUGE_VAL);
  Vector<T> most = start;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) most = max(most, load(x + i));
  if (i < n) most = max(most, load_first(x + i, static_cast<size_t>(n - i), start));
  return fold_lanes(most, Larger<T>());
}

/// Sum of exp(x - shift); the terms go to `out` unless it is null. Partial sums of 256 vectors are
/// added in double.
template <class T>
HWY_INLINE double exponentials(const T* x, T shift, T* out, int64_t n) {
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>()), block = 256 * lanes;
  const Vector<T> offset = splat<T>(shift), lowest = splat<T>(-HUGE_VAL);
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t end = std::min(n, begin + block);
    Vector<T> sum = splat<T>(0);
    int64_t i = begin;
    for (; i + lanes <= end; i += lanes) {
      const Vector<T> e = exp(load(x + i) - offset);
      if (out) store(e, out + i);
      sum = sum + e;
    }
    if (i < end) {
      const size_t rest = static_cast<size_t>(end - i);
      const Vector<T> e = exp(load_first(x + i, rest, lowest) - offset);
      if (out) store_first(e, out + i, rest);
      // The lanes left out hold exp(-inf - offset): 0, or NaN for a row of infinities, where it
      // belongs.
      sum = sum + e;
    }
    total += static_cast<double>(fold_lanes(sum, Sum<T>()));
  }
  return total;
}

/// From scores in `weights` and the gradients of their weights in `slopes`: weights = exp(score -
/// shift), and slopes = weight (slope - product).
template <class T>
HWY_INLINE void softmax_slopes(T* weights, T* slopes, int64_t n, T shift, T product) {
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
  const Vector<T> offset = splat<T>(shift), mean = splat<T>(product), zero = splat<T>(0);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Vector<T> w = exp(load(weights + i) - offset);
    store(w, weights + i);
    store(w * (load(slopes + i) - mean), slopes + i);
  }
  if (i < n) {
    const size_t rest = static_cast<size_t>(n - i);
    const Vector<T> w = exp(load_first(weights + i, rest, zero) - offset);
    store_first(w, weights + i, rest);
    store_first(w * (load_first(slopes + i, rest, zero) - mean), slopes + i, rest);
  }
}

/// The same for a row that is all there, whose product is found from the weights themselves. Where
/// one weight is all there is, slopes are then 0 and not what rounding left of large numbers.
template <class T>
HWY_INLINE void softmax_slopes(T* weights, T* slopes, int64_t n, T shift) {
  constexpr int64_t lanes = hn::MaxLanes(Tag<T>());
  const Vector<T> offset = splat<T>(shift), zero = splat<T>(0);
  Vector<T> sum = zero;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Vector<T> w = exp(load(weights + i) - offset);
    store(w, weights + i);
    sum = fma(w, load(slopes + i), sum);
  }
  T product = fold_lanes(sum, Sum<T>());
  if (i < n) {
    const size_t rest = static_cast<size_t>(n - i);
    store_first(exp(load_first(weights + i, rest, zero) - offset), weights + i, rest);
    for (int64_t k = i; k < n; ++k) product += weights[k] * slopes[k];
  }
  const Vector<T> mean = splat<T>(product);
  for (i = 0; i + lanes <= n; i += lanes)
    store(load(weights + i) * (load(slopes + i) - mean), slopes + i);
  for (; i < n; ++i) slopes[i] = weights[i] * (slopes[i] - product);
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
