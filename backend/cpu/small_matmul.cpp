// Matrix products by register tiles, compiled once per instruction set and chosen when first used.
#include "small_matmul.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

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
  FloatProduct (*choose_float)(const MatrixProduct<float>&);
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
// 32 registers allow 8 x 2 accumulators and 3 more; 16 allow 6 x 2.
constexpr int tile_rows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;

/// Whether loads and stores of a part of a vector touch nothing beyond it.
constexpr bool masks = HWY_TARGET <= HWY_AVX2;

// Loads and stores of whole vectors, or of the first `count` elements of them.
template <bool Part, class D, class T = hn::TFromD<D>>
HWY_ATTR inline hn::Vec<D> load(D d, const T* from, [[maybe_unused]] int64_t count) {
  if constexpr (Part)
    return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
  else
    return hn::LoadU(d, from);
}

template <bool Part, class D, class T = hn::TFromD<D>>
HWY_ATTR inline void store(hn::Vec<D> value, D d, T* to, [[maybe_unused]] int64_t count) {
  if constexpr (Part)
    hn::BlendedStore(value, hn::FirstN(d, static_cast<size_t>(count)), d, to);
  else
    hn::StoreU(value, d, to);
}

// c[0, rows) x vectors = a x b over all k. Vector v starts at column `columns[v]`; the last one may
// overlap the one before, whose values it computes again. `Unroll` sums of every Unroll-th product
// hide the latency of additions where there are few accumulators.
// With `Part` there is one vector, which is wider than c.
template <int Rows, int Vectors, int Unroll, bool Part, class D, class T = hn::TFromD<D>>
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
      for (int v = 0; v < Vectors; ++v) bs[v] = load<Part>(d, b + columns[v], p.n);
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
        sums[0][r][v] = hn::MulAdd(hn::Set(d, a[r * p.a_row]), load<Part>(d, b + columns[v], p.n),
                                   sums[0][r][v]);
  for (int v = 0; v < Vectors; ++v) {
    const V start = p.bias != nullptr ? load<Part>(d, p.bias + columns[v], p.n) : hn::Zero(d);
    for (int r = 0; r < Rows; ++r) {
      // In a fixed order, so that results repeat bit for bit.
      for (int u = 1; u < Unroll; ++u) sums[0][r][v] = hn::Add(sums[0][r][v], sums[u][r][v]);
      store<Part>(hn::Add(sums[0][r][v], start), d, p.c + (row + r) * p.c_row + columns[v], p.n);
    }
  }
}

// All rows of the columns of `Vectors` vectors.
template <int Vectors, bool Part, class D, class T = hn::TFromD<D>>
HWY_ATTR inline void tile_column(D d, const MatrixProduct<T>& p, const int64_t* columns) {
  int64_t row = 0;
  if constexpr (Vectors <= 2) {
    for (; row + tile_rows <= p.m; row += tile_rows)
      tile<tile_rows, Vectors, 1, Part>(d, p, row, columns);
    for (; row + 4 <= p.m; row += 4) tile<4, Vectors, 1, Part>(d, p, row, columns);
    // Few rows: two partial sums each keep as many additions in flight as a full tile does.
    if (row + 2 <= p.m) {
      tile<2, Vectors, 2, Part>(d, p, row, columns);
      row += 2;
    }
  }
  for (; row < p.m; ++row)
    tile<1, Vectors, (Vectors < 4 ? 4 / Vectors : 1), Part>(d, p, row, columns);
}

// b stored row by row (b_column = 1): reads it in place.
template <class D, class T = hn::TFromD<D>>
HWY_ATTR void direct(D d, const MatrixProduct<T>& p) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  if constexpr (hn::MaxLanes(D()) > 1) {
    if (p.n < lanes) {
      // Half of a vector does when it holds all of a row.
      // Without masks a whole vector would read beyond the row, and write there.
      if (!masks || 2 * p.n <= lanes) return direct(hn::Half<D>(), p);
      if constexpr (masks) {
        const int64_t first[1] = {0};
        return tile_column<1, true>(d, p, first);
      }
    }
  }
  // One row leaves registers for more columns at once.
  const bool one_row = p.m == 1;
  for (int64_t column = 0; column < p.n;) {
    const int64_t left = (p.n - column + lanes - 1) / lanes;
    // A matrix-vector product is bound by loads of b; more columns at once hide their latency.
    const int vectors = one_row && left >= 8 ? 8 : one_row && left >= 3 ? 4 : left >= 2 ? 2 : 1;
    int64_t columns[8];
    // The last vector moves back to end with the row and computes some columns twice, which is
    // cheaper than a loop over single elements.
    for (int v = 0; v < vectors; ++v) columns[v] = std::min(column + v * lanes, p.n - lanes);
    switch (vectors) {
      case 8:
        tile_column<8, false>(d, p, columns);
        break;
      case 4:
        tile_column<4, false>(d, p, columns);
        break;
      case 2:
        tile_column<2, false>(d, p, columns);
        break;
      default:
        tile_column<1, false>(d, p, columns);
    }
    column += vectors * lanes;
  }
}

#if HWY_TARGET != HWY_SCALAR  // which has no blocks
// Adds up the blocks of four lanes.
template <class D>
HWY_ATTR inline auto folded(D d, hn::Vec<D> x) {
  if constexpr (hn::MaxLanes(d) > 4) {
    const hn::Half<D> half;
    return folded(half, hn::Add(hn::LowerHalf(half, x), hn::UpperHalf(half, x)));
  } else {
    return x;
  }
}

// Four totals of the lanes of x[0] to x[3], by fours and then by blocks.
template <class V>
HWY_ATTR inline auto totals(const V (&x)[4]) {
  const hn::DFromV<V> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const V low = hn::Add(hn::InterleaveLower(d, x[0], x[1]), hn::InterleaveUpper(d, x[0], x[1]));
  const V high = hn::Add(hn::InterleaveLower(d, x[2], x[3]), hn::InterleaveUpper(d, x[2], x[3]));
  const auto l = hn::BitCast(wide, low), h = hn::BitCast(wide, high);
  return folded(d, hn::Add(hn::BitCast(d, hn::InterleaveLower(wide, l, h)),
                           hn::BitCast(d, hn::InterleaveUpper(wide, l, h))));
}

// to (4, 4) = from (4, 4), turned around.
HWY_ATTR inline void turn_block(const float* from, int64_t from_row, float* to, int64_t to_row) {
  const hn::FixedTag<float, 4> d;
  const hn::RepartitionToWide<decltype(d)> wide;
  const auto r0 = hn::LoadU(d, from), r1 = hn::LoadU(d, from + from_row);
  const auto r2 = hn::LoadU(d, from + 2 * from_row), r3 = hn::LoadU(d, from + 3 * from_row);
  const auto low01 = hn::BitCast(wide, hn::InterleaveLower(d, r0, r1));
  const auto low23 = hn::BitCast(wide, hn::InterleaveLower(d, r2, r3));
  const auto high01 = hn::BitCast(wide, hn::InterleaveUpper(d, r0, r1));
  const auto high23 = hn::BitCast(wide, hn::InterleaveUpper(d, r2, r3));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, low01, low23)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, low01, low23)), d, to + to_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(wide, high01, high23)), d, to + 2 * to_row);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(wide, high01, high23)), d, to + 3 * to_row);
}
#endif

// Scalar products of R rows of a with S columns of b, both contiguous: sums[r][s].
template <int R, int S, class D, class T = hn::TFromD<D>>
HWY_ATTR inline void dot(D d, const MatrixProduct<T>& p, int64_t row, int64_t column,
                         hn::Vec<D> (&sums)[R][S], int64_t& done) {
  using V = hn::Vec<D>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* const x = p.a + row * p.a_row;
  const T* const y = p.b + column * p.b_column;
  for (int r = 0; r < R; ++r)
    for (int s = 0; s < S; ++s) sums[r][s] = hn::Zero(d);
  int64_t i = 0;
  const auto step = [&]<bool Part>(int64_t count) HWY_ATTR {
    V ys[S];
    for (int s = 0; s < S; ++s) ys[s] = load<Part>(d, y + s * p.b_column + i, count);
    for (int r = 0; r < R; ++r) {
      const V xs = load<Part>(d, x + r * p.a_row + i, count);
      for (int s = 0; s < S; ++s) sums[r][s] = hn::MulAdd(xs, ys[s], sums[r][s]);
    }
  };
  for (; i + lanes <= p.k; i += lanes) step.template operator()<false>(lanes);
  if constexpr (masks) {
    if (i < p.k) step.template operator()<true>(p.k - i);
    i = p.k;
  }
  done = i;
}

// The products of elements from `done` on, for instruction sets without masks.
template <class T>
HWY_ATTR inline T rest_of_dot(const MatrixProduct<T>& p, int64_t row, int64_t column,
                              int64_t done) {
  T sum = 0;
  for (int64_t i = done; i < p.k; ++i) sum += p.a[row * p.a_row + i] * p.b[column * p.b_column + i];
  return sum;
}

template <int R, int S, class T>
HWY_ATTR inline void dot_tile(const MatrixProduct<T>& p, int64_t row, int64_t column) {
  const hn::ScalableTag<T> d;
  hn::Vec<decltype(d)> sums[R][S];
  int64_t done;
  dot<R, S>(d, p, row, column, sums, done);
  for (int r = 0; r < R; ++r) {
    T results[S];
#if HWY_TARGET != HWY_SCALAR
    if constexpr (S == 4 && std::is_same_v<T, float>)
      hn::StoreU(totals(sums[r]), hn::FixedTag<T, 4>(), results);
    else
#endif
      for (int s = 0; s < S; ++s) results[s] = hn::GetLane(hn::SumOfLanes(d, sums[r][s]));
    T* const c = p.c + (row + r) * p.c_row + column;
    for (int s = 0; s < S; ++s) {
      if constexpr (!masks) results[s] += rest_of_dot(p, row + r, column + s, done);
      c[s] = p.bias != nullptr ? results[s] + p.bias[column + s] : results[s];
    }
  }
}

// Rows of a and columns of b are both contiguous: scalar products. The last tiles overlap the ones
// before.
template <class T>
HWY_ATTR void dots(const MatrixProduct<T>& p) {
  if (p.n == 1 && p.m >= 4 && p.c_row == 1) {
    MatrixProduct<T> turned = p;  // c^T = b^T x a^T, four columns at once
    turned.bias = nullptr;
    turned.m = 1;
    turned.n = p.m;
    std::swap(turned.a, turned.b);
    turned.a_row = p.b_column;
    turned.b_column = p.a_row;
    turned.c_row = p.m;
    dots(turned);
    if (p.bias != nullptr)
      for (int64_t row = 0; row < p.m; ++row) p.c[row] += p.bias[0];
    return;
  }
  int64_t row = 0;
  if (p.n >= 4) {
    const auto all_columns = [&]<int R>() HWY_ATTR {
      for (int64_t column = 0; column < p.n; column += 4)
        dot_tile<R, 4>(p, row, std::min(column, p.n - 4));
    };
    for (; row + 2 <= p.m; row += 2) all_columns.template operator()<2>();
    if (row < p.m) all_columns.template operator()<1>();
    return;
  }
  for (; row + 4 <= p.m; row += 4)
    for (int64_t column = 0; column < p.n; ++column) dot_tile<4, 1>(p, row, column);
  for (; row < p.m; ++row)
    for (int64_t column = 0; column < p.n; ++column) dot_tile<1, 1>(p, row, column);
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
  // A panel of a and one of b stay in the first cache, the block of a in the second, that of b in
  // the third.
  const int64_t block_k = std::min<int64_t>(p.k, 256);
  const int64_t block_m = std::min<int64_t>(p.m, 12 * tile_rows);
  const int64_t block_n = std::min<int64_t>(p.n, 32 * width);
  const int64_t a_size = (block_m + tile_rows) * block_k;
  const Scratch scratch(sizeof(T) * static_cast<size_t>(a_size + (block_n + width) * block_k));
  T* const a_panels = static_cast<T*>(scratch.data());
  T* const b_panels = a_panels + a_size;
  // Tiles are computed whole into here; what lies outside of c is not copied.
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
            tile<tile_rows, 2, 1, false>(d, part, 0, columns);
            const int64_t rows = std::min<int64_t>(tile_rows, m - row);
            const int64_t count = std::min(width, n - column);
            const T* bias = p.bias != nullptr ? p.bias + n0 + column : nullptr;
            for (int64_t r = 0; r < rows; ++r) {
              T* c = p.c + (m0 + row + r) * p.c_row + n0 + column;
              const T* sums = edge + r * width;
              // The first block of k sets c, with the bias; later ones add to it.
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
HWY_ATTR void direct_code(const MatrixProduct<T>& p) {
  direct(hn::ScalableTag<T>(), p);
}

/// Elements of b that are turned around on the stack.
constexpr int64_t turned_elements = 4096;

// to (inner, outer) = from (outer, inner), whose rows lie `stride` apart.
template <class T>
HWY_ATTR void turn(const T* from, int64_t stride, int64_t outer, int64_t inner, T* to) {
  int64_t row = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, float>) {
    const int64_t whole = inner / 4 * 4;
    for (; row + 4 <= outer; row += 4) {
      for (int64_t i = 0; i < whole; i += 4)
        turn_block(from + row * stride + i, stride, to + i * outer + row, outer);
      for (int64_t i = whole; i < inner; ++i)
        for (int64_t o = row; o < row + 4; ++o) to[i * outer + o] = from[o * stride + i];
    }
  }
#endif
  for (; row < outer; ++row)
    for (int64_t i = 0; i < inner; ++i) to[i * outer + row] = from[row * stride + i];
}

// b stored column by column: turned around first.
template <class T>
HWY_ATTR void turned_code(const MatrixProduct<T>& p) {
  alignas(64) T turned[turned_elements];
  turn(p.b, p.b_column, p.n, p.k, turned);
  MatrixProduct<T> straight = p;
  straight.b = turned;
  straight.b_row = p.n;
  straight.b_column = 1;
  direct(hn::ScalableTag<T>(), straight);
}

// k is 1: rows of c are multiples of the one row of b, which stays in registers.
template <class T>
HWY_ATTR void outer_code(const MatrixProduct<T>& p) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto columns = [&]<int Vectors, bool Part>(int64_t column, int64_t count) HWY_ATTR {
    V b[Vectors], bias[Vectors];
    for (int v = 0; v < Vectors; ++v) {
      const int64_t at = column + v * lanes;
      b[v] = load<Part>(d, p.b + at, count);
      bias[v] = p.bias != nullptr ? load<Part>(d, p.bias + at, count) : hn::Zero(d);
    }
    T* c = p.c + column;
    for (int64_t row = 0; row < p.m; ++row, c += p.c_row) {
      const V a = hn::Set(d, p.a[row * p.a_row]);
      for (int v = 0; v < Vectors; ++v)
        store<Part>(hn::MulAdd(a, b[v], bias[v]), d, c + v * lanes, count);
    }
  };
  int64_t column = 0;
  for (; column + 4 * lanes <= p.n; column += 4 * lanes)
    columns.template operator()<4, false>(column, lanes);
  for (; column + lanes <= p.n; column += lanes)
    columns.template operator()<1, false>(column, lanes);
  if (column == p.n) return;
  if constexpr (masks) {
    columns.template operator()<1, true>(column, p.n - column);
  } else {
    for (int64_t row = 0; row < p.m; ++row)
      for (int64_t i = column; i < p.n; ++i)
        p.c[row * p.c_row + i] =
            p.a[row * p.a_row] * p.b[i] + (p.bias != nullptr ? p.bias[i] : T(0));
  }
}

// One column of c, from a stored column by column: c^T = b^T x a^T.
template <class T>
HWY_ATTR void swapped_code(const MatrixProduct<T>& p) {
  direct(hn::ScalableTag<T>(), MatrixProduct<T>{1, p.m, p.k, p.b, 1, p.b_row, p.a, p.a_column,
                                                p.a_row, nullptr, p.c, p.m});
}

template <class T>
auto choose(const MatrixProduct<T>& p) -> void (*)(const MatrixProduct<T>&) {
  const bool small = p.m * p.n * p.k <= small_matmul_limit;
  if (p.k == 1 && p.b_column == 1 && small) return outer_code<T>;
  if (p.n == 1 && p.m > 1 && p.a_row == 1 && p.a_column != 1 && p.c_row == 1 && p.bias == nullptr)
    return swapped_code<T>;
  if (p.n == 1 && p.b_row == 1 && p.a_column == 1) return dots<T>;
  if (p.b_column == 1 && (small || p.m < 4)) return direct_code<T>;
  if (p.a_column == 1 && p.b_row == 1 && (p.m < 8 || p.k > 4 * p.n)) return dots<T>;
  if (small && p.b_row == 1 && p.k * p.n <= turned_elements) return turned_code<T>;
  return packed<T>;
}

HWY_ATTR void double_product(const MatrixProduct<double>& p) { choose(p)(p); }

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
      choose<float>, double_product, integer_product<uint32_t>, integer_product<uint64_t>};
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

FloatProduct small_matmul_code(const MatrixProduct<float>& product) {
  return chosen().choose_float(product);
}
void small_matmul(const MatrixProduct<float>& product) { small_matmul_code(product)(product); }
void small_matmul(const MatrixProduct<double>& product) { chosen().product_double(product); }
void small_matmul(const MatrixProduct<uint32_t>& product) { chosen().product_uint32(product); }
void small_matmul(const MatrixProduct<uint64_t>& product) { chosen().product_uint64(product); }

}  // namespace cornu::backend::cpu
#endif  // HWY_ONCE
