// Winograd's transforms with the points 0, +-sqrt(1/2), +-sqrt(2) and infinity, whose rounding
// errors are a third of those of 0, +-1, +-2. A vector holds one pixel of a block of channels.
// Included once per target.
#if defined(CORNU_WINOGRAD_TRANSFORMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_WINOGRAD_TRANSFORMS_INL_H
#undef CORNU_WINOGRAD_TRANSFORMS_INL_H
#else
#define CORNU_WINOGRAD_TRANSFORMS_INL_H
#endif

#include "panel_matmul-inl.h"
#include "winograd_loops.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace winograd {

using V = Vector<float>;
constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(Tag<float>()));
constexpr int64_t width = panel_width<float>;
constexpr double root_half = 0.70710678118654752440, root_two = 1.41421356237309504880;

// Six numbers from six of a row or column of data.
HWY_INLINE void data_line(const V (&x)[6], V (&y)[6]) {
  const V minus_half = splat<float>(-0.5), minus_two = splat<float>(-2),
          middle = splat<float>(-2.5);
  y[0] = fma(middle, x[2], x[4] + x[0]);
  const V even = fma(minus_two, x[2], x[4]), odd = fma(minus_two, x[1], x[3]);
  y[1] = fma(splat<float>(root_half), odd, even);
  y[2] = fma(splat<float>(-root_half), odd, even);
  const V even2 = fma(minus_half, x[2], x[4]), odd2 = fma(minus_half, x[1], x[3]);
  y[3] = fma(splat<float>(root_two), odd2, even2);
  y[4] = fma(splat<float>(-root_two), odd2, even2);
  y[5] = fma(middle, x[3], x[5] + x[1]);
}

// Four results from six products.
HWY_INLINE void result_line(const V (&m)[6], V (&y)[4]) {
  const V half = splat<float>(0.5), two = splat<float>(2);
  const V sum = m[1] + m[2], difference = splat<float>(root_half) * (m[1] - m[2]);
  const V sum2 = m[3] + m[4], difference2 = splat<float>(root_two) * (m[3] - m[4]);
  y[0] = m[0] + sum + sum2;
  y[1] = difference + difference2;
  y[2] = fma(half, sum, two * sum2);
  y[3] = fma(half, difference, fma(two, difference2, m[5]));
}

// Six numbers from three of a filter: values at the points over the products of the points'
// distances.
HWY_INLINE void filter_line(const V (&g)[3], V (&u)[6]) {
  // Distances of 0: a^2 b^2 = 1; of +-a: 2 a^2 (a^2 - b^2) = -1.5; of +-b: 2 b^2 (b^2 - a^2) = 6.
  const V ends = splat<float>(-1 / 1.5) * fma(splat<float>(0.5), g[2], g[0]);
  const V middle = splat<float>(-root_half / 1.5) * g[1];
  u[0] = g[0];
  u[1] = ends + middle;
  u[2] = ends - middle;
  const V ends2 = splat<float>(1.0 / 6) * fma(splat<float>(2), g[2], g[0]);
  const V middle2 = splat<float>(root_two / 6) * g[1];
  u[3] = ends2 + middle2;
  u[4] = ends2 - middle2;
  u[5] = g[2];
}

// The transposed of result_line: six numbers from four of a result's gradient.
HWY_INLINE void gradient_line(const V (&g)[4], V (&m)[6]) {
  const V half = splat<float>(0.5), two = splat<float>(2);
  const V even = fma(half, g[2], g[0]), odd = splat<float>(root_half) * fma(half, g[3], g[1]);
  const V even2 = fma(two, g[2], g[0]), odd2 = splat<float>(root_two) * fma(two, g[3], g[1]);
  m[0] = g[0];
  m[1] = even + odd;
  m[2] = even - odd;
  m[3] = even2 + odd2;
  m[4] = even2 - odd2;
  m[5] = g[3];
}

// The transposed of filter_line: three numbers of a filter's gradient from six sums of products.
HWY_INLINE void filter_gradient_line(const V (&u)[6], V (&g)[3]) {
  const V sum = u[1] + u[2], difference = u[1] - u[2];
  const V sum2 = u[3] + u[4], difference2 = u[3] - u[4];
  g[0] = fma(splat<float>(-1 / 1.5), sum, fma(splat<float>(1.0 / 6), sum2, u[0]));
  g[1] = fma(splat<float>(-root_half / 1.5), difference, splat<float>(root_two / 6) * difference2);
  g[2] = fma(splat<float>(-0.5 / 1.5), sum, fma(splat<float>(2.0 / 6), sum2, u[5]));
}

struct Tile {
  int64_t image, row, column;  // of its first result
};

HWY_INLINE Tile tile_at(const WinogradShape& p, int64_t index) {
  const int64_t columns = p.tile_columns(), each = p.tile_rows() * columns;
  const int64_t inside = index % each;
  return {index / each, inside / columns * 4, inside % columns * 4};
}

// One tile of one block of channels: 6x6 pixels, of which those outside of the image are 0.
HWY_INLINE void transform_data(const WinogradShape& p, const float* image, int64_t row,
                               int64_t column, float* to, int64_t stride) {
  const bool inside = row >= 0 && column >= 0 && row + 6 <= p.rows && column + 6 <= p.columns;
  const V zero = splat<float>(0);
  V wide[6][6];
  for (int r = 0; r < 6; ++r) {
    const float* const line = image + ((row + r) * p.columns + column) * lanes;
    V x[6];
    if (inside) {
      for (int c = 0; c < 6; ++c) x[c] = load(line + c * lanes);
    } else {
      const bool exists = row + r >= 0 && row + r < p.rows;
      for (int c = 0; c < 6; ++c)
        x[c] = exists && column + c >= 0 && column + c < p.columns ? load(line + c * lanes) : zero;
    }
    data_line(x, wide[r]);
  }
  for (int c = 0; c < 6; ++c) {
    const V x[6] = {wide[0][c], wide[1][c], wide[2][c], wide[3][c], wide[4][c], wide[5][c]};
    V y[6];
    data_line(x, y);
    for (int r = 0; r < 6; ++r) store(y[r], to + (r * 6 + c) * stride);
  }
}

}  // namespace winograd
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
