// Matrix products on panels, for recurrent layers: the weights are packed once and serve all steps.
// A matrix of panels holds `panel_width` columns of all rows, then the next columns; what lies
// beyond the last column is 0. Included once per target.
#if defined(CORNU_RNN_PANELS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef CORNU_RNN_PANELS_INL_H
#undef CORNU_RNN_PANELS_INL_H
#else
#define CORNU_RNN_PANELS_INL_H
#endif

#include <algorithm>

#include "allocator.h"
#include "rnn.h"
#include "vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace rnn {

/// Two vectors.
template <class T>
inline constexpr int64_t panel_width = 2 * static_cast<int64_t>(hn::MaxLanes(Tag<T>()));

// Rows of a register tile: its accumulators, two vectors of b and one of a fit the registers.
inline constexpr int tile_rows = HWY_TARGET <= HWY_AVX3 ? 8 : 6;

template <class T>
inline int64_t panels_of(int64_t columns) {
  return (columns + panel_width<T> - 1) / panel_width<T>;
}

/// How a tile of a product begins.
enum class Start { zero, bias, sum };

/// A product's first operand. By rows: a matrix of panels `block` elements apart, whose columns are
/// summed over. By columns: one panel whose rows are summed over.
template <class T, bool ByRows>
struct TileInput {
  const T* a;
  int64_t block;  // of no meaning by columns

  HWY_INLINE T at(int row, int64_t k) const {
    return ByRows ? a[row * panel_width<T> + k] : a[k * panel_width<T> + row];
  }
  /// The operand of the tile that begins at this row (or column) of c.
  HWY_INLINE TileInput from(int64_t row) const {
    return {a + row * (ByRows ? panel_width<T> : 1), block};
  }
};

template <int Rows, class T, bool ByRows>
HWY_INLINE void panel_tile(TileInput<T, ByRows> in, const T* b, int64_t count, Start start,
                           const T* bias, T* c) {
  constexpr int64_t width = panel_width<T>, lanes = width / 2;
  const Tag<T> d;
  hn::Vec<Tag<T>> sums[Rows][2];
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < 2; ++v)
      sums[r][v] = start == Start::zero   ? hn::Zero(d)
                   : start == Start::bias ? hn::LoadU(d, bias + v * lanes)
                                          : hn::LoadU(d, c + r * width + v * lanes);
  for (int64_t left = count; left > 0; left -= width) {
    const int64_t n = std::min(left, width);
#pragma GCC unroll 4
    for (int64_t k = 0; k < n; ++k) {
      const auto b0 = hn::LoadU(d, b), b1 = hn::LoadU(d, b + lanes);
      b += width;
      for (int r = 0; r < Rows; ++r) {
        const auto as = hn::Set(d, in.at(r, k));
        sums[r][0] = hn::MulAdd(as, b0, sums[r][0]);
        sums[r][1] = hn::MulAdd(as, b1, sums[r][1]);
      }
    }
    in.a += ByRows ? in.block : width * width;
  }
  for (int r = 0; r < Rows; ++r)
    for (int v = 0; v < 2; ++v) hn::StoreU(sums[r][v], d, c + r * width + v * lanes);
}

/// Rows [0, rows) of one panel c: bias, what it holds or zero, plus a times the panel b over
/// `count` elements. Sums run in the order of those elements.
template <class T, bool ByRows>
HWY_INLINE void panel_product(TileInput<T, ByRows> in, const T* b, int64_t rows, int64_t count,
                              Start start, const T* bias, T* c) {
  // Tiles of about equal height: a low one costs as much as a high one.
  int64_t tiles = (rows + tile_rows - 1) / tile_rows;
  for (int64_t row = 0; row < rows; --tiles) {
    const int64_t height = (rows - row + tiles - 1) / tiles;
    const TileInput<T, ByRows> part = in.from(row);
    T* const to = c + row * panel_width<T>;
    switch (height) {
      case 1:
        panel_tile<1>(part, b, count, start, bias, to);
        break;
      case 2:
        panel_tile<2>(part, b, count, start, bias, to);
        break;
      case 3:
        panel_tile<3>(part, b, count, start, bias, to);
        break;
      case 4:
        panel_tile<4>(part, b, count, start, bias, to);
        break;
      case 5:
        panel_tile<5>(part, b, count, start, bias, to);
        break;
      case 6:
        panel_tile<6>(part, b, count, start, bias, to);
        break;
      case 7:
        panel_tile<std::min(7, tile_rows)>(part, b, count, start, bias, to);
        break;
      default:
        panel_tile<tile_rows>(part, b, count, start, bias, to);
    }
    row += height;
  }
}

/// `count` (up to a vector's) elements; the others are 0.
template <class T>
HWY_INLINE Vector<T> load_some(const T* from, int64_t count) {
  if (count >= panel_width<T> / 2) return load(from);
  return load_first(from, static_cast<size_t>(count), splat<T>(0));
}
template <class T>
HWY_INLINE void store_some(Vector<T> x, T* to, int64_t count) {
  if (count >= panel_width<T> / 2) return store(x, to);
  store_first(x, to, static_cast<size_t>(count));
}

/// x with 0 behind `count` elements.
template <class T>
HWY_INLINE Vector<T> keep_some(Vector<T> x, int64_t count) {
  if (count >= panel_width<T> / 2) return x;
  return {hn::IfThenElseZero(hn::FirstN(Tag<T>(), static_cast<size_t>(count)), x.raw)};
}

/// Columns [first, first + panel_width) of a row-major matrix as `rows` rows of a panel.
template <class T>
HWY_INLINE void pack_panel(const T* from, int64_t row_stride, int64_t rows, int64_t first,
                           int64_t columns, T* to) {
  constexpr int64_t width = panel_width<T>, lanes = width / 2;
  const int64_t low = columns - first, high = std::max<int64_t>(low - lanes, 0);
  from += first;
  for (int64_t r = 0; r < rows; ++r, from += row_stride, to += width) {
    store(load_some(from, low), to);
    store(high > 0 ? load_some(from + lanes, high) : splat<T>(0), to + lanes);
  }
}

/// Packs all columns: panel p begins `block` elements after the one before.
template <class T>
HWY_INLINE void pack_panels(const T* from, int64_t row_stride, int64_t rows, int64_t columns, T* to,
                            int64_t block) {
  for (int64_t p = 0; p < panels_of<T>(columns); ++p)
    pack_panel(from, row_stride, rows, p * panel_width<T>, columns, to + p * block);
}

/// The reverse of pack_panels.
template <class T>
HWY_INLINE void unpack_panels(const T* from, int64_t block, int64_t rows, int64_t columns, T* to,
                              int64_t row_stride) {
  constexpr int64_t width = panel_width<T>, lanes = width / 2;
  for (int64_t first = 0; first < columns; first += width, from += block, to += width) {
    const int64_t low = columns - first, high = low - lanes;
    for (int64_t r = 0; r < rows; ++r) {
      store_some(load(from + r * width), to + r * row_stride, low);
      if (high > 0) store_some(load(from + r * width + lanes), to + r * row_stride + lanes, high);
    }
  }
}

/// Calls f(unit, offset, count) for each vector of the units of a panel: its first unit, where it
/// lies in a row of the panel, and how many of its lanes are units.
template <class T, class F>
HWY_INLINE void for_each_vector(int64_t panel, int64_t units, F&& f) {
  constexpr int64_t lanes = panel_width<T> / 2;
  for (int64_t offset = 0; offset < panel_width<T>; offset += lanes) {
    const int64_t unit = panel * panel_width<T> + offset;
    if (unit < units) f(unit, offset, std::min(lanes, units - unit));
  }
}

/// A group of `units` columns of pre-activations: which columns (in multiples of units) of the
/// kernel and of the recurrent weights it is made with, -1: none. The candidate of GRU has two
/// groups, as the reset gate multiplies the states' share of it only. Groups with the kernel come
/// first and groups with the recurrent weights last, without a gap each.
struct RnnGroup {
  int kernel, recurrent;
};
struct RnnGroups {
  RnnGroup at[4];
  int count, with_kernel, first_recurrent;  // the first two: from 0; the last: to the end
};
constexpr RnnGroups groups_of(RnnCell cell) {
  switch (cell) {
    case RnnCell::lstm:
      return {{{0, 0}, {1, 1}, {2, 2}, {3, 3}}, 4, 4, 0};
    case RnnCell::gru:
      return {{{2, -1}, {0, 0}, {1, 1}, {-1, 2}}, 4, 3, 1};
    default:
      return {{{0, 0}}, 1, 1, 0};
  }
}

/// Scratch memory as elements.
template <class T>
class ScratchOf {
 public:
  explicit ScratchOf(int64_t count) : scratch_(static_cast<size_t>(count) * sizeof(T)) {}
  T* data() const { return static_cast<T*>(scratch_.data()); }

 private:
  Scratch scratch_;
};

}  // namespace rnn
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();
#endif
