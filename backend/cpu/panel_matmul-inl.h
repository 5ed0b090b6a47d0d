// Products of small matrices whose right operand has been packed into panels, for kernels that make
// several products of the same data. Runs in the calling thread. Included once per target.
#if defined(CORNU_PANEL_MATMUL_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_PANEL_MATMUL_INL_H
#undef CORNU_PANEL_MATMUL_INL_H
#else
#define CORNU_PANEL_MATMUL_INL_H
#endif

#include <algorithm>
#include <cstdint>

#include "vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {

/// Rows of a register tile of two vectors: accumulators, two vectors of b and one of a fit the
/// registers.
inline constexpr int64_t panel_rows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;
/// Columns of a panel.
template <class T>
inline constexpr int64_t panel_width = 2 * static_cast<int64_t>(hn::MaxLanes(Tag<T>()));

inline int64_t round_up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }

/// Packs b = factor * from (k, n), rows `stride` apart, into panels of panel_width columns: panel p
/// holds its columns of row i at p * k * width + i * width, with zeros beyond n.
template <class T>
void pack_panels(const T* from, int64_t stride, int64_t k, int64_t n, T factor, T* to) {
  constexpr int64_t width = panel_width<T>, lanes = width / 2;
  // Padding with zeros lets products run over whole panels without tests.
  const Vector<T> scale = splat<T>(factor), zero = splat<T>(0);
  for (int64_t column = 0; column < n; column += width)
    for (int64_t i = 0; i < k; ++i, to += width)
      for (int64_t v = 0; v < width; v += lanes) {
        const int64_t left = n - column - v;
        const T* x = from + i * stride + column + v;
        store(left >= lanes ? load(x) * scale
              : left > 0    ? load_first(x, static_cast<size_t>(left), zero) * scale
                            : zero,
              to + v);
      }
}

/// The same for b = factor * from^T, where from is (n, k).
template <class T>
void pack_panels_transposed(const T* from, int64_t stride, int64_t k, int64_t n, T factor, T* to) {
  constexpr int64_t width = panel_width<T>;
  for (int64_t column = 0; column < n; column += width, to += k * width) {
    const int64_t count = std::min(width, n - column);
    const T* const x = from + column * stride;
    int64_t done = 0;  // elements along k that the blocks of 4 x 4 have covered
    int64_t rows = 0;
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    if constexpr (sizeof(T) == 4) {
      const hn::CappedTag<T, 4> d;
      const auto scale = hn::Set(d, factor);
      done = k / 4 * 4;
      for (; rows + 4 <= count; rows += 4)
        for (int64_t i = 0; i < done; i += 4) {
          const T* const at = x + rows * stride + i;
          const auto a = hn::Mul(hn::LoadU(d, at), scale);
          const auto b = hn::Mul(hn::LoadU(d, at + stride), scale);
          const auto c = hn::Mul(hn::LoadU(d, at + 2 * stride), scale);
          const auto e = hn::Mul(hn::LoadU(d, at + 3 * stride), scale);
          const auto ab = hn::InterleaveLower(d, a, b), ab_high = hn::InterleaveUpper(d, a, b);
          const auto ce = hn::InterleaveLower(d, c, e), ce_high = hn::InterleaveUpper(d, c, e);
          T* const out = to + i * width + rows;
          hn::StoreU(hn::ConcatLowerLower(d, ce, ab), d, out);
          hn::StoreU(hn::ConcatUpperUpper(d, ce, ab), d, out + width);
          hn::StoreU(hn::ConcatLowerLower(d, ce_high, ab_high), d, out + 2 * width);
          hn::StoreU(hn::ConcatUpperUpper(d, ce_high, ab_high), d, out + 3 * width);
        }
    }
#endif
    for (int64_t r = 0; r < count; ++r)
      for (int64_t i = r < rows ? done : 0; i < k; ++i)
        to[i * width + r] = x[r * stride + i] * factor;
    for (int64_t i = 0; count < width && i < k; ++i)
      std::fill(to + i * width + count, to + (i + 1) * width, T(0));
  }
}

/// c[0, Rows) x one panel = (or +=) a x b over k. Element (r, i) of a stands at r * stride + i, or
/// with Turned at i * stride + r.
template <int Rows, bool Turned, bool Adds, class T>
HWY_INLINE void panel_tile(const T* a, int64_t stride, const T* b, int64_t k, T* c,
                           int64_t c_stride) {
  constexpr int64_t width = panel_width<T>, lanes = width / 2;
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  V low[Rows], high[Rows];
  for (int r = 0; r < Rows; ++r) low[r] = high[r] = hn::Zero(d);
  const T* rows[Rows];
  for (int r = 0; r < Rows; ++r) rows[r] = a + r * (Turned ? 1 : stride);
  for (int64_t i = 0; i < k; ++i, b += width) {
    // Two loads of b serve all rows; products and sums are fused, and added in the order of k.
    const V left = hn::LoadU(d, b), right = hn::LoadU(d, b + lanes);
    for (int r = 0; r < Rows; ++r) {
      const V x = hn::Set(d, Turned ? a[i * stride + r] : rows[r][i]);
      low[r] = hn::MulAdd(x, left, low[r]);
      high[r] = hn::MulAdd(x, right, high[r]);
    }
  }
  for (int r = 0; r < Rows; ++r) {
    T* const to = c + r * c_stride;
    if constexpr (Adds) {
      low[r] = hn::Add(low[r], hn::LoadU(d, to));
      high[r] = hn::Add(high[r], hn::LoadU(d, to + lanes));
    }
    hn::StoreU(low[r], d, to);
    hn::StoreU(high[r], d, to + lanes);
  }
}

/// Rows [0, m) of a times one panel; c's rows take whole panels.
template <bool Turned, bool Adds, class T>
HWY_INLINE void panel_rows_product(int64_t m, const T* a, int64_t stride, const T* b, int64_t k,
                                   T* c, int64_t c_stride) {
  const int64_t step = Turned ? 1 : stride;
  int64_t row = 0;
  for (; row + panel_rows <= m; row += panel_rows)
    panel_tile<panel_rows, Turned, Adds>(a + row * step, stride, b, k, c + row * c_stride,
                                         c_stride);
  if (row + 4 <= m) {
    panel_tile<4, Turned, Adds>(a + row * step, stride, b, k, c + row * c_stride, c_stride);
    row += 4;
  }
  if (row + 2 <= m) {
    panel_tile<2, Turned, Adds>(a + row * step, stride, b, k, c + row * c_stride, c_stride);
    row += 2;
  }
  if (row < m)
    panel_tile<1, Turned, Adds>(a + row * step, stride, b, k, c + row * c_stride, c_stride);
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
