// Gradients of 3x3 filters by Winograd's algorithm: the transposed of what winograd_loops.cpp does,
// so data are transformed as there, gradients as results are, and sums as filters are, the other
// way round.
#include <algorithm>

#include "targets.h"
#include "winograd_loops.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/winograd_weight_loops.cpp"
#include <hwy/foreach_target.h>

#include "winograd_transforms-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace winograd {

/// Input channels of a block; its output channels are a panel's.
constexpr int64_t most_rows = 32;

// Between two of the 36 matrices, as in winograd_loops.cpp.
HWY_INLINE int64_t data_stride(const WinogradWeights& p) { return p.step * p.in + lanes; }
HWY_INLINE int64_t panels(const WinogradWeights& p) { return (p.out + width - 1) / width; }
HWY_INLINE int64_t gradient_stride(const WinogradWeights& p) {
  return panels(p) * p.step * width + lanes;
}

int64_t data_floats(const WinogradWeights& p) { return 36 * data_stride(p); }
int64_t gradient_floats(const WinogradWeights& p) { return 36 * gradient_stride(p); }
int64_t blocks(const WinogradWeights& p) { return (p.in + most_rows - 1) / most_rows * panels(p); }
int64_t block_floats(const WinogradWeights& p) { return 36 * std::min(p.in, most_rows) * width; }

// One tile of one block of channels: 4x4 gradients, of which those outside of the image are 0.
// Returns their sum.
HWY_INLINE V transform_gradient(const WinogradShape& p, const float* image, const Tile& tile,
                                float* to, int64_t stride) {
  const int64_t rows = std::min<int64_t>(4, p.out_rows - tile.row);
  const int64_t columns = std::min<int64_t>(4, p.out_columns - tile.column);
  const V zero = splat<float>(0);
  V wide[4][6], sum = zero;
  for (int r = 0; r < 4; ++r) {
    const float* const line = image + ((tile.row + r) * p.out_columns + tile.column) * lanes;
    V g[4];
    for (int c = 0; c < 4; ++c) g[c] = r < rows && c < columns ? load(line + c * lanes) : zero;
    sum = sum + ((g[0] + g[1]) + (g[2] + g[3]));
    gradient_line(g, wide[r]);
  }
  for (int c = 0; c < 6; ++c) {
    const V g[4] = {wide[0][c], wide[1][c], wide[2][c], wide[3][c]};
    V m[6];
    gradient_line(g, m);
    for (int r = 0; r < 6; ++r) store(m[r], to + (r * 6 + c) * stride);
  }
  return sum;
}

void transform(const WinogradWeights& p, int64_t first, int64_t begin, int64_t end, float* bias) {
  for (int64_t t = begin; t < end; ++t) {
    const Tile tile = tile_at(p, first + t);
    for (int64_t c = 0; c < p.in; c += lanes)
      transform_data(p, p.x + (tile.image * p.in + c) * p.rows * p.columns, tile.row - p.pad_rows,
                     tile.column - p.pad_columns, p.data + t * p.in + c, data_stride(p));
    for (int64_t c = 0; c < panels(p) * width; c += lanes) {
      float* const to = p.gradients + (c / width * p.step + t) * width + c % width;
      if (c >= p.out) {  // the rest of the last panel
        for (int64_t i = 0; i < 36; ++i) store(splat<float>(0), to + i * gradient_stride(p));
        continue;
      }
      const V sum =
          transform_gradient(p, p.dy + (tile.image * p.out + c) * p.out_rows * p.out_columns, tile,
                             to, gradient_stride(p));
      if (bias != nullptr) store(load(bias + c) + sum, bias + c);
    }
  }
}

struct Block {
  int64_t first, rows, panel;  // of input channels; of output channels
};

HWY_INLINE Block block_at(const WinogradWeights& p, int64_t index) {
  const int64_t first = index / panels(p) * most_rows;
  return {first, std::min(most_rows, p.in - first), index % panels(p)};
}

void multiply(const WinogradWeights& p, int64_t block, int64_t count, bool adds, float* sums) {
  const Block b = block_at(p, block);
  for (int64_t i = 0; i < 36; ++i, sums += b.rows * width) {
    const float* const data = p.data + i * data_stride(p) + b.first;
    const float* const gradients = p.gradients + i * gradient_stride(p) + b.panel * p.step * width;
    if (adds)
      panel_rows_product<true, true>(b.rows, data, p.in, gradients, count, sums, width);
    else
      panel_rows_product<true, false>(b.rows, data, p.in, gradients, count, sums, width);
  }
}

void finish(const WinogradWeights& p, int64_t block, const float* sums, float* filters) {
  const Block b = block_at(p, block);
  for (int64_t row = 0; row < b.rows; ++row)
    for (int64_t v = 0; v < width && b.panel * width + v < p.out; v += lanes) {
      V wide[6][3];
      for (int r = 0; r < 6; ++r) {
        V u[6];
        for (int c = 0; c < 6; ++c) u[c] = load(sums + ((r * 6 + c) * b.rows + row) * width + v);
        filter_gradient_line(u, wide[r]);
      }
      for (int c = 0; c < 3; ++c) {
        const V u[6] = {wide[0][c], wide[1][c], wide[2][c], wide[3][c], wide[4][c], wide[5][c]};
        V g[3];
        filter_gradient_line(u, g);
        for (int r = 0; r < 3; ++r)
          store(g[r], filters + ((r * 3 + c) * p.in + b.first + row) * p.out + b.panel * width + v);
      }
    }
}

}  // namespace winograd

const WinogradWeightLoops* winograd_weight_table() {
  static constexpr WinogradWeightLoops loops = {HWY_TARGET <= HWY_AVX2 ? winograd::lanes : 0,
                                                winograd::data_floats,
                                                winograd::gradient_floats,
                                                winograd::transform,
                                                winograd::blocks,
                                                winograd::block_floats,
                                                winograd::multiply,
                                                winograd::finish};
  return &loops;
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(winograd_weight_table);
const WinogradWeightLoops& winograd_weight_loops() {
  static const WinogradWeightLoops& loops = *HWY_DYNAMIC_DISPATCH(winograd_weight_table)();
  return loops;
}

}  // namespace cornu::backend::cpu
#endif
