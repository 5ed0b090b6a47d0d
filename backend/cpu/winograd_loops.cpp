// Convolutions of tiles by Winograd's algorithm: forwards, and backwards to the data.
//
// 36 numbers of a tile, i of them at a time, lie `stride` floats apart: as a matrix (36, tiles,
// channels) the transformed data is multiplied by 36 matrices of filters.
#include "winograd_loops.h"

#include <algorithm>

#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/winograd_loops.cpp"
#include <hwy/foreach_target.h>

#include "winograd_transforms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace winograd {

/// Floats between two of the 36 matrices of filters, data and products: no powers of two, which
/// would meet in one set of the cache.
HWY_INLINE int64_t filter_stride(const WinogradProblem& p) { return p.in * width + lanes; }
HWY_INLINE int64_t data_stride(const WinogradProblem& p) { return p.step * p.in + lanes; }
HWY_INLINE int64_t product_stride(const WinogradProblem& p) { return p.step * width + lanes; }
HWY_INLINE int64_t panels(const WinogradProblem& p) { return (p.out + width - 1) / width; }

int64_t filter_floats(const WinogradProblem& p) { return panels(p) * 36 * filter_stride(p); }
int64_t scratch(const WinogradProblem& p) { return 36 * (data_stride(p) + product_stride(p)); }

// The filters of one input channel and a vector of output channels: rows and columns of 3x3 to 6x6.
// Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks",
// https://arxiv.org/abs/1509.09308.
HWY_INLINE void transform_filter(const V (&g)[3][3], float* to, int64_t stride) {
  V tall[3][6];
  for (int c = 0; c < 3; ++c) {
    const V column[3] = {g[0][c], g[1][c], g[2][c]};
    filter_line(column, tall[c]);
  }
  for (int r = 0; r < 6; ++r) {
    const V row[3] = {tall[0][r], tall[1][r], tall[2][r]};
    V u[6];
    filter_line(row, u);
    for (int c = 0; c < 6; ++c) store(u[c], to + (r * 6 + c) * stride);
  }
}

// Taps of `count` (at most a vector) input channels from `i` on and a vector of output channels
// from `o` on, as (9, count, lanes), of filters that are to be turned.
HWY_INLINE void turn_filters(const WinogradProblem& p, const float* kernel, int64_t i,
                             int64_t count, int64_t o, float* to) {
  for (int64_t tap = 0; tap < 9; ++tap) {
    const float* const from = kernel + ((8 - tap) * p.out + o) * p.in + i;
    for (int64_t k = 0; k < lanes; ++k)
      for (int64_t j = 0; j < count; ++j) to[(tap * lanes + j) * lanes + k] = from[k * p.in + j];
  }
}

// To panels of filters: 36 matrices (in, width) for each panel.
void filters(const WinogradProblem& p, const float* kernel, int64_t begin, int64_t end, float* to) {
  HWY_ALIGN float turned[9 * lanes * lanes];
  for (int64_t first = begin; first < end; first += lanes)
    for (int64_t o = 0; o < panels(p) * width; o += lanes) {
      const int64_t count = std::min(lanes, end - first);
      const bool exists = o < p.out;
      if (exists && p.turned) turn_filters(p, kernel, first, count, o, turned);
      for (int64_t j = 0; j < count; ++j) {
        V g[3][3];
        for (int tap = 0; tap < 9; ++tap)
          g[tap / 3][tap % 3] = !exists    ? splat<float>(0)
                                : p.turned ? load(turned + (tap * lanes + j) * lanes)
                                           : load(kernel + (tap * p.in + first + j) * p.out + o);
        transform_filter(g,
                         to + o / width * 36 * filter_stride(p) + (first + j) * width + o % width,
                         filter_stride(p));
      }
    }
}

// The results of one tile and one block of channels.
HWY_INLINE void transform_result(const WinogradProblem& p, const float* from, int64_t stride,
                                 V bias, const Tile& tile, float* image) {
  V wide[6][4];
  for (int r = 0; r < 6; ++r) {
    V m[6];
    for (int c = 0; c < 6; ++c) m[c] = load(from + (r * 6 + c) * stride);
    result_line(m, wide[r]);
  }
  // Tiles at the edge reach beyond the image; what lies there is computed and not stored.
  const int64_t rows = std::min<int64_t>(4, p.out_rows - tile.row);
  const int64_t columns = std::min<int64_t>(4, p.out_columns - tile.column);
  for (int c = 0; c < columns; ++c) {
    const V m[6] = {wide[0][c], wide[1][c], wide[2][c], wide[3][c], wide[4][c], wide[5][c]};
    V y[4];
    result_line(m, y);
    float* const at = image + (tile.row * p.out_columns + tile.column + c) * lanes;
    for (int r = 0; r < rows; ++r) {
      V value = y[r] + bias;
      if (p.relu) value = max(value, splat<float>(0));
      store(value, at + r * p.out_columns * lanes);
    }
  }
}

void convolve(const WinogradProblem& p, int64_t begin, int64_t end, float* memory) {
  float* const data = memory;
  float* const products = memory + 36 * data_stride(p);
  for (; begin < end; begin += p.step) {
    const int64_t count = std::min(p.step, end - begin);
    for (int64_t t = 0; t < count; ++t) {
      const Tile tile = tile_at(p, begin + t);
      for (int64_t c = 0; c < p.in; c += lanes)
        transform_data(p, p.x + (tile.image * p.in + c) * p.rows * p.columns, tile.row - p.pad_rows,
                       tile.column - p.pad_columns, data + t * p.in + c, data_stride(p));
    }
    for (int64_t panel = 0; panel < panels(p); ++panel) {
      const float* const filters = p.filters + panel * 36 * filter_stride(p);
      for (int64_t i = 0; i < 36; ++i)
        panel_rows_product<false, false>(count, data + i * data_stride(p), p.in,
                                         filters + i * filter_stride(p), p.in,
                                         products + i * product_stride(p), width);
      for (int64_t c = panel * width; c < std::min(p.out, (panel + 1) * width); c += lanes) {
        const V bias = p.bias != nullptr ? load(p.bias + c) : splat<float>(0);
        for (int64_t t = 0; t < count; ++t) {
          const Tile tile = tile_at(p, begin + t);
          transform_result(p, products + t * width + c - panel * width, product_stride(p), bias,
                           tile, p.y + (tile.image * p.out + c) * p.out_rows * p.out_columns);
        }
      }
    }
  }
}

}  // namespace winograd

const WinogradLoops* winograd_table() {
  static constexpr WinogradLoops loops = {HWY_TARGET <= HWY_AVX2 ? winograd::lanes : 0,
                                          winograd::filter_floats, winograd::scratch,
                                          winograd::filters, winograd::convolve};
  return &loops;
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(winograd_table);
const WinogradLoops& winograd_loops() {
  static const WinogradLoops& loops = *HWY_DYNAMIC_DISPATCH(winograd_table)();
  return loops;
}

}  // namespace cornu::backend::cpu
#endif
