// Loops of the Normalize kernel over columns and rows.
#include "normalize_loops.h"

#include <algorithm>
#include <cmath>

#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/normalize_loops.cpp"
#include <hwy/foreach_target.h>

#include "vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

/// Elements of a row between two additions in double.
constexpr int64_t row_chunk = 2048;

template <class T>
constexpr int64_t lanes_of = static_cast<int64_t>(hn::MaxLanes(Tag<T>()));

template <class T>
HWY_INLINE T lane_sum(Vector<T> x) {
  return hn::GetLane(hn::SumOfLanes(Tag<T>(), x.raw));
}

/// Calls f(first, count, whole) for each vector of columns; `whole` is a constant.
template <class T, class F>
HWY_INLINE void for_vectors(int64_t width, F f) {
  constexpr int64_t lanes = lanes_of<T>;
  int64_t j = 0;
  for (; j + lanes <= width; j += lanes) f(j, static_cast<size_t>(lanes), std::true_type());
  if (j < width) f(j, static_cast<size_t>(width - j), std::false_type());
}

template <class T, class Whole>
HWY_INLINE Vector<T> load_some(const T* from, size_t count, Vector<T> rest, Whole) {
  if constexpr (Whole::value)
    return load(from);
  else
    return load_first(from, count, rest);
}

template <class T, class Whole>
HWY_INLINE void store_some(Vector<T> x, T* to, size_t count, Whole) {
  if constexpr (Whole::value)
    store(x, to);
  else
    store_first(x, to, count);
}

/// Vectors of columns whose sums, or coefficients, the registers hold while rows pass by.
constexpr int sums_at_once = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
constexpr int coefficients_at_once = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

/// Calls f(first, count, vectors, whole) for groups of columns: `vectors` whole ones, a constant of
/// at most `most`, or one that is not whole.
template <class T, int most, class F>
HWY_INLINE void for_groups(int64_t first, int64_t width, F f) {
  constexpr int64_t lanes = lanes_of<T>, wide = most * lanes;
  using Vectors = std::integral_constant<int, most>;
  for (; first + wide <= width; first += wide)
    f(first, static_cast<size_t>(lanes), Vectors(), std::true_type());
  if constexpr (most > 1)
    for_groups<T, most / 2>(first, width, f);
  else if (first < width)
    f(first, static_cast<size_t>(width - first), Vectors(), std::false_type());
}

template <class T>
void moments(RowsOf<const T> x, int64_t rows, int64_t width, const T* shift, T* sums, T* squares) {
  for_groups<T, sums_at_once>(0, width, [&](int64_t j, size_t n, auto vectors, auto whole) {
    constexpr int64_t lanes = lanes_of<T>;
    constexpr int count = vectors;
    Vector<T> k[count], s[count], q[count];
    for (int i = 0; i < count; ++i) {
      k[i] = load(shift + j + i * lanes);
      s[i] = load(sums + j + i * lanes);
      q[i] = load(squares + j + i * lanes);
    }
    const T* from = x.data + j;
    for (int64_t r = 0; r < rows; ++r, from += x.stride)
      for (int i = 0; i < count; ++i) {
        const Vector<T> d = load_some(from + i * lanes, n, k[i], whole) - k[i];
        s[i] = s[i] + d;
        q[i] = fma(d, d, q[i]);
      }
    for (int i = 0; i < count; ++i) {
      store(s[i], sums + j + i * lanes);
      store(q[i], squares + j + i * lanes);
    }
  });
}

template <class T>
void products(RowsOf<const T> x, RowsOf<const T> dy, int64_t rows, int64_t width, const T* mean,
              T* sums, T* products) {
  for_groups<T, sums_at_once>(0, width, [&](int64_t j, size_t n, auto vectors, auto whole) {
    constexpr int64_t lanes = lanes_of<T>;
    constexpr int count = vectors;
    const Vector<T> zero = splat<T>(0);
    Vector<T> k[count], s[count], p[count];
    for (int i = 0; i < count; ++i) {
      k[i] = load(mean + j + i * lanes);
      s[i] = load(sums + j + i * lanes);
      p[i] = load(products + j + i * lanes);
    }
    const T *from = x.data + j, *slopes = dy.data + j;
    for (int64_t r = 0; r < rows; ++r, from += x.stride, slopes += dy.stride)
      for (int i = 0; i < count; ++i) {
        const Vector<T> d = load_some(from + i * lanes, n, k[i], whole) - k[i];
        const Vector<T> g = load_some(slopes + i * lanes, n, zero, whole);
        s[i] = s[i] + g;
        p[i] = fma(g, d, p[i]);
      }
    for (int i = 0; i < count; ++i) {
      store(s[i], sums + j + i * lanes);
      store(p[i], products + j + i * lanes);
    }
  });
}

template <class T>
void transform(RowsOf<const T> x, RowsOf<T> y, int64_t rows, int64_t width, const T* mean,
               const T* scale, const T* offset) {
  for_groups<T, coefficients_at_once>(0, width, [&](int64_t j, size_t n, auto vectors, auto whole) {
    constexpr int64_t lanes = lanes_of<T>;
    constexpr int count = vectors;
    Vector<T> m[count], a[count], b[count];
    for (int i = 0; i < count; ++i) {
      m[i] = load(mean + j + i * lanes);
      a[i] = load(scale + j + i * lanes);
      b[i] = load(offset + j + i * lanes);
    }
    const T* from = x.data + j;
    T* to = y.data + j;
    for (int64_t r = 0; r < rows; ++r, from += x.stride, to += y.stride)
      for (int i = 0; i < count; ++i)
        store_some(fma(load_some(from + i * lanes, n, m[i], whole) - m[i], a[i], b[i]),
                   to + i * lanes, n, whole);
  });
}

template <class T>
void derive(RowsOf<const T> x, RowsOf<const T> dy, RowsOf<T> dx, int64_t rows, int64_t width,
            const T* mean, const T* slope, const T* scale, const T* offset) {
  for_groups<T, coefficients_at_once>(0, width, [&](int64_t j, size_t n, auto vectors, auto whole) {
    constexpr int64_t lanes = lanes_of<T>;
    constexpr int count = vectors;
    Vector<T> m[count], b[count], a[count], c[count];
    for (int i = 0; i < count; ++i) {
      m[i] = load(mean + j + i * lanes);
      b[i] = load(slope + j + i * lanes);
      a[i] = load(scale + j + i * lanes);
      c[i] = load(offset + j + i * lanes);
    }
    const T *from = x.data + j, *slopes = dy.data + j;
    T* to = dx.data + j;
    for (int64_t r = 0; r < rows; ++r, from += x.stride, slopes += dy.stride, to += dx.stride)
      for (int i = 0; i < count; ++i) {
        const Vector<T> d = load_some(from + i * lanes, n, m[i], whole) - m[i];
        const Vector<T> g = load_some(slopes + i * lanes, n, c[i], whole);
        store_some(fma(d, b[i], fma(g, a[i], c[i])), to + i * lanes, n, whole);
      }
  });
}

template <class T>
void merge(const T* shift, const T* sums, const T* squares, int64_t width, double count,
           double before, double* mean, double* deviations) {
  const double each = 1 / count, fraction = count / (before + count), between = before * fraction;
  for (int64_t j = 0; j < width; ++j) {
    const double s = static_cast<double>(sums[j]);
    const double inside = static_cast<double>(squares[j]) - s * s * each;
    const double delta = static_cast<double>(shift[j]) + s * each - mean[j];
    mean[j] += delta * fraction;
    // Not std::max, which would lose a NaN.
    deviations[j] += (inside < 0 ? 0 : inside) + delta * delta * between;
  }
}

/// Sums of `count` quantities over a row: f(first, count, whole, sums) adds a vector's worth. Four
/// vectors at once, so that additions need not wait for each other.
template <class T, int quantities, class F>
HWY_INLINE void sum_row(int64_t n, T (&totals)[quantities], F f) {
  constexpr int64_t lanes = lanes_of<T>;
  Vector<T> sums[4][quantities];
  for (auto& sum : sums)
    for (Vector<T>& s : sum) s = splat<T>(0);
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes)
    for (int k = 0; k < 4; ++k)
      f(i + k * lanes, static_cast<size_t>(lanes), std::true_type(), sums[k]);
  for_vectors<T>(n - i,
                 [&](int64_t j, size_t count, auto whole) { f(i + j, count, whole, sums[0]); });
  for (int k = 0; k < quantities; ++k)
    totals[k] = lane_sum((sums[0][k] + sums[1][k]) + (sums[2][k] + sums[3][k]));
}

template <class T>
void row_moments(const T* x, int64_t n, bool centered, double* mean, double* deviations) {
  *mean = *deviations = 0;
  for (int64_t begin = 0; begin < n; begin += row_chunk) {
    const int64_t count = std::min(row_chunk, n - begin);
    const T* from = x + begin;
    T sum[1] = {0}, moments[2];
    if (centered)
      sum_row<T>(count, sum, [&](int64_t j, size_t some, auto whole, Vector<T>* sums) {
        sums[0] = sums[0] + load_some(from + j, some, splat<T>(0), whole);
      });
    const T shift = sum[0] / static_cast<T>(count);
    sum_row<T>(count, moments, [&](int64_t j, size_t some, auto whole, Vector<T>* sums) {
      const Vector<T> k = splat<T>(shift), d = load_some(from + j, some, k, whole) - k;
      sums[0] = sums[0] + d;
      sums[1] = fma(d, d, sums[1]);
    });
    if (centered)
      merge(&shift, &moments[0], &moments[1], 1, static_cast<double>(count),
            static_cast<double>(begin), mean, deviations);
    else
      *deviations += static_cast<double>(moments[1]);
  }
}

template <class T>
void row_transform(const T* x, T* y, int64_t n, T mean, T inverse, const T* scale,
                   const T* offset) {
  const Vector<T> m = splat<T>(mean), v = splat<T>(inverse), zero = splat<T>(0);
  for_vectors<T>(n, [&](int64_t j, size_t count, auto whole) {
    Vector<T> value = (load_some(x + j, count, m, whole) - m) * v;
    if (scale && offset)
      value = fma(value, load_some(scale + j, count, zero, whole),
                  load_some(offset + j, count, zero, whole));
    else if (scale)
      value = value * load_some(scale + j, count, zero, whole);
    else if (offset)
      value = value + load_some(offset + j, count, zero, whole);
    store_some(value, y + j, count, whole);
  });
}

template <class T>
void row_derive(const T* x, const T* dy, T* dx, int64_t n, bool centered, T mean, T inverse,
                const T* scale, T* dscale, T* doffset) {
  const Vector<T> m = splat<T>(mean), v = splat<T>(inverse), zero = splat<T>(0);
  double slope = 0, product = 0;
  for (int64_t begin = 0; begin < n; begin += row_chunk) {
    T sums[2];
    sum_row<T>(std::min(row_chunk, n - begin), sums,
               [&](int64_t k, size_t count, auto whole, Vector<T>* sums) {
                 const int64_t j = begin + k;
                 Vector<T> g = load_some(dy + j, count, zero, whole);
                 if (scale) g = g * load_some(scale + j, count, zero, whole);
                 sums[0] = sums[0] + g;
                 sums[1] = fma(g, (load_some(x + j, count, m, whole) - m) * v, sums[1]);
               });
    slope += static_cast<double>(sums[0]);
    product += static_cast<double>(sums[1]);
  }
  const double each = static_cast<double>(inverse) / static_cast<double>(n);
  const Vector<T> constant = splat<T>(centered ? slope * each : 0),
                  linear = splat<T>(product * each);
  for_vectors<T>(n, [&](int64_t j, size_t count, auto whole) {
    const Vector<T> g = load_some(dy + j, count, zero, whole);
    const Vector<T> u = (load_some(x + j, count, m, whole) - m) * v;
    if (dscale)
      store_some(fma(g, u, load_some(dscale + j, count, zero, whole)), dscale + j, count, whole);
    if (doffset)
      store_some(g + load_some(doffset + j, count, zero, whole), doffset + j, count, whole);
    const Vector<T> wide = scale ? g * load_some(scale + j, count, zero, whole) : g;
    store_some(wide * v - fma(u, linear, constant), dx + j, count, whole);
  });
}

template <class T>
constexpr NormalizeLoops<T> loops = {lanes_of<T>,    moments<T>,       products<T>,
                                     transform<T>,   derive<T>,        merge<T>,
                                     row_moments<T>, row_transform<T>, row_derive<T>};

const NormalizeLoops<float>* loops_float32() { return &loops<float>; }
const NormalizeLoops<double>* loops_float64() { return &loops<double>; }

void inverse_roots_of(double* x, int64_t n, double epsilon) {
  const Vector<double> e = splat<double>(epsilon), one = splat<double>(1);
  for_vectors<double>(n, [&](int64_t j, size_t count, auto whole) {
    store_some(one / sqrt(load_some(x + j, count, one, whole) + e), x + j, count, whole);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(loops_float32);
HWY_EXPORT(loops_float64);
HWY_EXPORT(inverse_roots_of);

template <>
const NormalizeLoops<float>& normalize_loops<float>() {
  return *HWY_DYNAMIC_DISPATCH(loops_float32)();
}
template <>
const NormalizeLoops<double>& normalize_loops<double>() {
  return *HWY_DYNAMIC_DISPATCH(loops_float64)();
}
void inverse_roots(double* x, int64_t n, double epsilon) {
  HWY_DYNAMIC_DISPATCH(inverse_roots_of)(x, n, epsilon);
}

}  // namespace cornu::backend::cpu
#endif
