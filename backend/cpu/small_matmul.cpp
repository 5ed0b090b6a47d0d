// Matrix products by register tiles, compiled once per instruction set and chosen when first used.
#include "small_matmul.h"

#include <algorithm>
#include <cstring>

#include "allocator.h"
#include "targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cornu/backend/cpu/small_matmul.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#ifndef CORNU_SMALL_MATMUL_TABLE
#define CORNU_SMALL_MATMUL_TABLE
namespace cornu::backend::cpu {
namespace {
// What one instruction set offers.
struct SmallMatmulTable {
  void (*product_float)(const MatrixProduct<float>&);
  void (*product_double)(const MatrixProduct<double>&);
  void (*product_uint32)(const MatrixProduct<uint32_t>&);
  void (*product_uint64)(const MatrixProduct<uint64_t>&);
};
}  // namespace
}  // namespace cornu::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// Rows of a register tile of two vectors: accumulators, two vectors of b and one of a fit the
// registers.
constexpr int tile_rows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;

// c[0, rows) x vectors = a x b over all k. Vector v starts at column `columns[v]`; the last one may
// overlap the one before, whose values it computes again. `Unroll` sums of every Unroll-th product
// hide the latency of additions where there are few accumulators.
template <int Rows, int Vectors, int Unroll, class D, class T = hn::TFromD<D>>
HWY_ATTR inline void tile(D d, const MatrixProduct<T>& p, int64_t row, const int64_t* columns) {
  using V = hn::Vec<D>;
  V sums[Unroll][Rows][Vectors];
  for (int u = 0; u < Unroll; ++u)
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v) sums[u][r][v] = hn::Zero(d);
  const T* a = p.a + row * p.a_row;
  const T* b = p.b;
  int64_t i = 0;
  for (; i + Unroll <= p.k; i += Unroll) {
    for (int u = 0; u < Unroll; ++u) {
      V bs[Vectors];
      for (int v = 0; v < Vectors; ++v) bs[v] = hn::LoadU(d, b + columns[v]);
      for (int r = 0; r < Rows; ++r) {
        const V as = hn::Set(d, a[r * p.a_row]);
        for (int v = 0; v < Vectors; ++v) sums[u][r][v] = hn::MulAdd(as, bs[v], sums[u][r][v]);
      }
      a += p.a_column;
      b += p.b_row;
    }
  }
  for (; i < p.k; ++i, a += p.a_column, b += p.b_row)
    for (int r = 0; r < Rows; ++r)
      for (int v = 0; v < Vectors; ++v)
        sums[0][r][v] =
            hn::MulAdd(hn::Set(d, a[r * p.a_row]), hn::LoadU(d, b + columns[v]), sums[0][r][v]);
  for (int v = 0; v < Vectors; ++v) {
    const V start = p.bias != nullptr ? hn::LoadU(d, p.bias + columns[v]) : hn::Zero(d);
    for (int r = 0; r < Rows; ++r) {
      for (int u = 1; u < Unroll; ++u) sums[0][r][v] = hn::Add(sums[0][r][v], sums[u][r][v]);
      hn::StoreU(hn::Add(sums[0][r][v], start), d, p.c + (row + r) * p.c_row + columns[v]);
    }
  }
}

// All rows of the columns of `Vectors` vectors.
template <int Vectors, class D, class T = hn::TFromD<D>>
HWY_ATTR inline void tile_column(D d, const MatrixProduct<T>& p, const int64_t* columns) {
  int64_t row = 0;
  if constexpr (Vectors <= 2) {
    for (; row + tile_rows <= p.m; row += tile_rows)
      tile<tile_rows, Vectors, 1>(d, p, row, columns);
    for (; row + 4 <= p.m; row += 4) tile<4, Vectors, 1>(d, p, row, columns);
    if (row + 2 <= p.m) {
      tile<2, Vectors, 2>(d, p, row, columns);
      row += 2;
    }
  }
  for (; row < p.m; ++row) tile<1, Vectors, (Vectors < 4 ? 4 / Vectors : 1)>(d, p, row, columns);
}

// b stored row by row (b_column = 1): reads it in place.
template <class D, class T = hn::TFromD<D>>
HWY_ATTR void direct(D d, const MatrixProduct<T>& p) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (p.n < lanes) return direct(hn::Half<D>(), p);
  }
  // One row leaves registers for more columns at once.
  const bool one_row = p.m == 1;
  for (int64_t column = 0; column < p.n;) {
    const int64_t left = (p.n - column + lanes - 1) / lanes;
    const int vectors = one_row && left >= 8 ? 8 : one_row && left >= 3 ? 4 : left >= 2 ? 2 : 1;
    int64_t columns[8];
    for (int v = 0; v < vectors; ++v) columns[v] = std::min(column + v * lanes, p.n - lanes);
    switch (vectors) {
      case 8:
        tile_column<8>(d, p, columns);
        break;
      case 4:
        tile_column<4>(d, p, columns);
        break;
      case 2:
        tile_column<2>(d, p, columns);
        break;
      default:
        tile_column<1>(d, p, columns);
    }
    column += vectors * lanes;
  }
}

// Adds to sums[r][s] the products of elements [i, k) of rows x and y, vector by vector, then
// narrower.
template <int R, int S, class D, class T = hn::TFromD<D>>
HWY_ATTR inline void dot_step(D d, const T* x, int64_t x_row, const T* y, int64_t y_row, int64_t i,
                              int64_t k, T (&totals)[R][S]) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if (i + lanes <= k) {
    using V = hn::Vec<D>;
    V sums[R][S];
    for (int r = 0; r < R; ++r)
      for (int s = 0; s < S; ++s) sums[r][s] = hn::Zero(d);
    for (; i + lanes <= k; i += lanes) {
      V ys[S];
      for (int s = 0; s < S; ++s) ys[s] = hn::LoadU(d, y + s * y_row + i);
      for (int r = 0; r < R; ++r) {
        const V xs = hn::LoadU(d, x + r * x_row + i);
        for (int s = 0; s < S; ++s) sums[r][s] = hn::MulAdd(xs, ys[s], sums[r][s]);
      }
    }
    for (int r = 0; r < R; ++r)
      for (int s = 0; s < S; ++s) totals[r][s] += hn::GetLane(hn::SumOfLanes(d, sums[r][s]));
  }
  if constexpr (hn::MaxLanes(D()) * sizeof(T) > 16) {
    if (i < k) dot_step(hn::Half<D>(), x, x_row, y, y_row, i, k, totals);
  } else {
    for (; i < k; ++i)
      for (int r = 0; r < R; ++r)
        for (int s = 0; s < S; ++s) totals[r][s] += x[r * x_row + i] * y[s * y_row + i];
  }
}

template <int R, int S, class T>
HWY_ATTR inline void dot_tile(const MatrixProduct<T>& p, int64_t row, int64_t column) {
  T totals[R][S] = {};
  dot_step<R, S>(hn::ScalableTag<T>(), p.a + row * p.a_row, p.a_row, p.b + column * p.b_column,
                 p.b_column, 0, p.k, totals);
  for (int r = 0; r < R; ++r)
    for (int s = 0; s < S; ++s)
      p.c[(row + r) * p.c_row + column + s] =
          p.bias != nullptr ? totals[r][s] + p.bias[column + s] : totals[r][s];
}

// Rows of a and columns of b are both contiguous: scalar products.
template <class T>
HWY_ATTR void dots(const MatrixProduct<T>& p) {
  int64_t row = 0;
  if (p.n >= 4) {
    for (; row + 2 <= p.m; row += 2) {
      int64_t column = 0;
      for (; column + 4 <= p.n; column += 4) dot_tile<2, 4>(p, row, column);
      for (; column < p.n; ++column) dot_tile<2, 1>(p, row, column);
    }
  } else {
    for (; row + 4 <= p.m; row += 4)
      for (int64_t column = 0; column < p.n; ++column) dot_tile<4, 1>(p, row, column);
  }
  for (; row < p.m; ++row) {
    int64_t column = 0;
    for (; column + 4 <= p.n; column += 4) dot_tile<1, 4>(p, row, column);
    for (; column < p.n; ++column) dot_tile<1, 1>(p, row, column);
  }
}

// to (outer / width panels, inner, width) = from (outer, inner), with zeros beyond `outer`.
template <class T>
HWY_ATTR void pack(const T* from, int64_t outer_stride, int64_t inner_stride, int64_t outer,
                   int64_t inner, int64_t width, T* to) {
  for (int64_t start = 0; start < outer; start += width, to += inner * width) {
    const int64_t count = std::min(width, outer - start);
    const T* source = from + start * outer_stride;
    if (outer_stride == 1) {
      for (int64_t i = 0; i < inner; ++i) {
        for (int64_t o = 0; o < count; ++o) to[i * width + o] = source[i * inner_stride + o];
        for (int64_t o = count; o < width; ++o) to[i * width + o] = 0;
      }
    } else {
      for (int64_t o = 0; o < count; ++o)
        for (int64_t i = 0; i < inner; ++i)
          to[i * width + o] = source[o * outer_stride + i * inner_stride];
      for (int64_t o = count; o < width; ++o)
        for (int64_t i = 0; i < inner; ++i) to[i * width + o] = 0;
    }
  }
}

// The large or awkwardly stored: blocks of a and b are copied into panels that the tiles read in
// order (Goto and van de Geijn, "Anatomy of High-Performance Matrix Multiplication", 2008).
template <class T>
HWY_ATTR void packed(const MatrixProduct<T>& p) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const int64_t width = 2 * lanes;
  const int64_t block_k = std::min<int64_t>(p.k, 256);
  const int64_t block_m = std::min<int64_t>(p.m, 12 * tile_rows);
  const int64_t block_n = std::min<int64_t>(p.n, 32 * width);
  const int64_t a_size = (block_m + tile_rows) * block_k;
  const Scratch scratch(sizeof(T) * static_cast<size_t>(a_size + (block_n + width) * block_k));
  T* const a_panels = static_cast<T*>(scratch.data());
  T* const b_panels = a_panels + a_size;
  T edge[tile_rows * 2 * hn::MaxLanes(d)];
  const int64_t columns[2] = {0, lanes};
  for (int64_t k0 = 0; k0 < p.k; k0 += block_k) {
    const int64_t k = std::min(block_k, p.k - k0);
    for (int64_t n0 = 0; n0 < p.n; n0 += block_n) {
      const int64_t n = std::min(block_n, p.n - n0);
      pack(p.b + n0 * p.b_column + k0 * p.b_row, p.b_column, p.b_row, n, k, width, b_panels);
      for (int64_t m0 = 0; m0 < p.m; m0 += block_m) {
        const int64_t m = std::min(block_m, p.m - m0);
        pack(p.a + m0 * p.a_row + k0 * p.a_column, p.a_row, p.a_column, m, k, int64_t{tile_rows},
             a_panels);
        for (int64_t column = 0; column < n; column += width) {
          for (int64_t row = 0; row < m; row += tile_rows) {
            const MatrixProduct<T> part{tile_rows,
                                        width,
                                        k,
                                        a_panels + row * k,
                                        1,
                                        tile_rows,
                                        b_panels + column * k,
                                        width,
                                        1,
                                        nullptr,
                                        edge,
                                        width};
            tile<tile_rows, 2, 1>(d, part, 0, columns);
            const int64_t rows = std::min<int64_t>(tile_rows, m - row);
            const int64_t count = std::min(width, n - column);
            const T* bias = p.bias != nullptr ? p.bias + n0 + column : nullptr;
            for (int64_t r = 0; r < rows; ++r) {
              T* c = p.c + (m0 + row + r) * p.c_row + n0 + column;
              const T* sums = edge + r * width;
              if (k0 > 0)
                for (int64_t i = 0; i < count; ++i) c[i] += sums[i];
              else if (bias != nullptr)
                for (int64_t i = 0; i < count; ++i) c[i] = sums[i] + bias[i];
              else
                std::memcpy(c, sums, sizeof(T) * static_cast<size_t>(count));
            }
          }
        }
      }
    }
  }
}

template <class T>
HWY_ATTR void product(const MatrixProduct<T>& p) {
  const hn::ScalableTag<T> d;
  if (p.n == 1 && p.m > 1 && p.a_column != 1 && p.c_row == 1 &&
      p.bias == nullptr)  // c^T = b^T x a^T
    return product(MatrixProduct<T>{1, p.m, p.k, p.b, 1, p.b_row, p.a, p.a_column, p.a_row, nullptr,
                                    p.c, p.m});
  if (p.n == 1 && p.b_row == 1 && p.a_column == 1) return dots(p);
  const bool small = p.m * p.n * p.k <= small_matmul_limit;
  if (p.b_column == 1 && (small || p.m < 4)) return direct(d, p);
  if (p.a_column == 1 && p.b_row == 1 && (p.m < 8 || p.k > 4 * p.n)) return dots(p);
  if (small && p.k * p.n <= 4096) {
    T turned[4096];
    for (int64_t column = 0; column < p.n; ++column)
      for (int64_t i = 0; i < p.k; ++i)
        turned[i * p.n + column] = p.b[i * p.b_row + column * p.b_column];
    MatrixProduct<T> straight = p;
    straight.b = turned;
    straight.b_row = p.n;
    straight.b_column = 1;
    return direct(d, straight);
  }
  packed(p);
}

// The compiler turns these loops into vectors.
template <class T>
HWY_ATTR void integer_product(const MatrixProduct<T>& p) {
  for (int64_t row = 0; row < p.m; ++row) {
    T* const c = p.c + row * p.c_row;
    const T* const a = p.a + row * p.a_row;
    if (p.b_column == 1) {
      for (int64_t column = 0; column < p.n; ++column)
        c[column] = p.bias != nullptr ? p.bias[column] : 0;
      for (int64_t i = 0; i < p.k; ++i) {
        const T factor = a[i * p.a_column];
        const T* const b = p.b + i * p.b_row;
        for (int64_t column = 0; column < p.n; ++column) c[column] += factor * b[column];
      }
    } else {
      for (int64_t column = 0; column < p.n; ++column) {
        const T* const b = p.b + column * p.b_column;
        T sum = p.bias != nullptr ? p.bias[column] : 0;
        for (int64_t i = 0; i < p.k; ++i) sum += a[i * p.a_column] * b[i * p.b_row];
        c[column] = sum;
      }
    }
  }
}

const SmallMatmulTable* table() {
  static constexpr SmallMatmulTable entries = {
      product<float>, product<double>, integer_product<uint32_t>, integer_product<uint64_t>};
  return &entries;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
namespace {

HWY_EXPORT(table);

inline const SmallMatmulTable& chosen() {
  static const SmallMatmulTable& entries = *HWY_DYNAMIC_DISPATCH(table)();
  return entries;
}

}  // namespace

void small_matmul(const MatrixProduct<float>& product) { chosen().product_float(product); }
void small_matmul(const MatrixProduct<double>& product) { chosen().product_double(product); }
void small_matmul(const MatrixProduct<uint32_t>& product) { chosen().product_uint32(product); }
void small_matmul(const MatrixProduct<uint64_t>& product) { chosen().product_uint64(product); }

}  // namespace cornu::backend::cpu
#endif  // HWY_ONCE
