// A tile is the results of one or two windows of 2x2 for one or two vectors of channels: each tap
// is a number of x for all channels, times a vector of filters.
#include "thin_conv.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "allocator.h"
#include "parallel.h"
#include "targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/thin_conv.cpp"
#include <hwy/foreach_target.h>

#include "vector-inl.h"

#ifndef CORNU_THIN_PROBLEM
#define CORNU_THIN_PROBLEM
namespace cornu::backend::cpu {
namespace {

struct ThinProblem {
  int64_t batch = 0, in = 0, out = 0;  // channels
  int64_t rows = 0, columns = 0;       // of x, with its padding
  int64_t pooled_rows = 0, pooled_columns = 0;
  int64_t strides[2] = {};
  std::span<const int64_t> taps;  // where each number of a filter meets x, from the first on
  bool relu = false, maximum = false;
  const float* x = nullptr;
  const float* filters = nullptr;
  const float* bias = nullptr;
  float* y = nullptr;
};

struct ThinLoops {
  int64_t lanes;
  /// Computes the pooled rows [begin, end) of all images'.
  void (*run)(const ThinProblem&, int64_t begin, int64_t end);
};

}  // namespace
}  // namespace cornu::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {

using V = Vector<float>;
constexpr int64_t lanes = static_cast<int64_t>(hn::MaxLanes(Tag<float>()));
/// Windows of a tile: 16 sums with AVX-512, 8 with AVX2, which has half of the registers.
constexpr int most_windows = HWY_TARGET <= HWY_AVX3 ? 2 : 1;

// `x` is the first number that the tile's first result sees, `to` its place in the first block.
// With Unit, neighbors along a row of results read neighbors of x.
template <int Windows, int Blocks, bool Unit>
HWY_INLINE void tile(const ThinProblem& p, const float* x, int64_t channel, float* to) {
  // All results of the tile stay in registers until they are pooled; they are never in memory.
  V sums[Windows * 2][2][Blocks];
  for (int b = 0; b < Blocks; ++b) {
    const V first = p.bias != nullptr ? load(p.bias + channel + b * lanes) : splat<float>(0);
    for (auto& column : sums)
      for (auto& row : column) row[b] = first;
  }
  const float* filters = p.filters + channel;
  const int64_t along = Unit ? 1 : p.strides[1] * p.in, down = p.strides[0] * p.columns * p.in;
  for (const int64_t tap : p.taps) {
    const float* const upper = x + tap;
    const float* const lower = upper + down;
    V w[Blocks];
    for (int b = 0; b < Blocks; ++b) w[b] = load(filters + b * lanes);
    filters += p.out;
    for (int k = 0; k < Windows * 2; ++k) {
      const V above = splat<float>(upper[k * along]), below = splat<float>(lower[k * along]);
      for (int b = 0; b < Blocks; ++b) {
        sums[k][0][b] = fma(above, w[b], sums[k][0][b]);
        sums[k][1][b] = fma(below, w[b], sums[k][1][b]);
      }
    }
  }
  const int64_t block = p.pooled_rows * p.pooled_columns * lanes;
  for (int b = 0; b < Blocks; ++b)
    for (int k = 0; k < Windows; ++k) {
      V all[4] = {sums[2 * k][0][b], sums[2 * k + 1][0][b], sums[2 * k][1][b],
                  sums[2 * k + 1][1][b]};
      const V zero = splat<float>(0);
      V pooled;
      if (p.maximum) {
        pooled = max(max(all[0], all[1]), max(all[2], all[3]));
        if (p.relu) pooled = max(pooled, zero);  // the same as before the maximum
      } else {
        for (V& value : all) value = p.relu ? max(value, zero) : value;
        pooled = splat<float>(0.25) * ((all[0] + all[1]) + (all[2] + all[3]));
      }
      store(pooled, to + b * block + k * lanes);
    }
}

template <int Blocks, bool Unit>
HWY_INLINE void row(const ThinProblem& p, const float* x, int64_t channel, float* to) {
  const int64_t window = 2 * p.strides[1] * p.in;
  int64_t column = 0;
  for (; column + most_windows <= p.pooled_columns; column += most_windows)
    tile<most_windows, Blocks, Unit>(p, x + column * window, channel, to + column * lanes);
  for (; column < p.pooled_columns; ++column)
    tile<1, Blocks, Unit>(p, x + column * window, channel, to + column * lanes);
}

template <bool Unit>
HWY_INLINE void rows(const ThinProblem& p, int64_t begin, int64_t end) {
  for (int64_t at = begin; at < end; ++at) {
    const int64_t image = at / p.pooled_rows, r = at % p.pooled_rows;
    const float* const x = p.x + (image * p.rows + r * 2 * p.strides[0]) * p.columns * p.in;
    for (int64_t channel = 0; channel < p.out;) {
      float* const to =
          p.y + ((image * p.out + channel) * p.pooled_rows + r * lanes) * p.pooled_columns;
      if (channel + 2 * lanes <= p.out) {
        row<2, Unit>(p, x, channel, to);
        channel += 2 * lanes;
      } else {
        row<1, Unit>(p, x, channel, to);
        channel += lanes;
      }
    }
  }
}

void run(const ThinProblem& p, int64_t begin, int64_t end) {
  if (p.strides[1] * p.in == 1)
    rows<true>(p, begin, end);
  else
    rows<false>(p, begin, end);
}

const ThinLoops* thin_table() {
  static constexpr ThinLoops loops = {HWY_TARGET <= HWY_AVX2 ? lanes : 0, run};
  return &loops;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
namespace {

HWY_EXPORT(thin_table);
const ThinLoops& thin_loops() {
  static const ThinLoops& loops = *HWY_DYNAMIC_DISPATCH(thin_table)();
  return loops;
}

// Images: with more channels, code that runs along the input's channels is faster.
constexpr int64_t most_channels = 4;

class ThinPooled final : public Executable {
 public:
  ThinPooled(const ThinProblem& problem, std::vector<int64_t> taps, const Conv& kernel,
             const Shape& x)
      : problem_(problem),
        taps_(std::move(taps)),
        bias_(kernel.bias),
        rows_(x[1]),
        columns_(x[2]),
        pad_rows_(kernel.pad_low[0]),
        pad_columns_(kernel.pad_low[1]) {}

  void run(void* const* data) override {
    ThinProblem p = problem_;
    const auto at = [&](int i) { return static_cast<float*>(data[i]); };
    p.filters = at(1);
    p.bias = bias_ ? at(2) : nullptr;
    p.y = at(bias_ ? 3 : 2);
    p.x = at(0);
    std::optional<Scratch> padded;
    if (p.rows != rows_ || p.columns != columns_) {
      padded.emplace(static_cast<size_t>(p.batch * p.rows * p.columns * p.in) * sizeof(float));
      p.x = static_cast<float*>(padded->data());
      pad(at(0), static_cast<float*>(padded->data()));
    }
    const int64_t results = 4 * p.batch * p.pooled_rows * p.pooled_columns * p.out;
    p.taps = taps_;
    const int64_t multiplications = results * static_cast<int64_t>(p.taps.size());
    parallel_for(p.batch * p.pooled_rows, multiplications / multiplications_per_operation,
                 [&](int64_t begin, int64_t end) { thin_loops().run(p, begin, end); });
  }

 private:
  void pad(const float* from, float* to) const {
    const ThinProblem& p = problem_;
    const int64_t line = p.columns * p.in, inside = columns_ * p.in;
    parallel_for(p.batch * p.rows, p.batch * p.rows * line, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t image = i / p.rows, r = i % p.rows - pad_rows_;
        float* const start = to + i * line;
        std::fill_n(start, line, 0.0f);
        if (r >= 0 && r < rows_)
          std::copy_n(from + (image * rows_ + r) * inside, inside, start + pad_columns_ * p.in);
      }
    });
  }

  ThinProblem problem_;
  std::vector<int64_t> taps_;
  bool bias_;
  int64_t rows_, columns_, pad_rows_, pad_columns_;
};

bool is_everywhere(const InlineVector<int64_t, 3>& values, int64_t value) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == value; });
}

}  // namespace

std::unique_ptr<Executable> prepare_thin_pooled(const Conv& kernel, Operands inputs,
                                                Operands outputs) {
  const Shape &x = *inputs[0].shape, &filters = *inputs[1].shape, &y = *outputs[0].shape;
  const Pool& pool = *kernel.pool;
  const int64_t lanes = thin_loops().lanes;
  if (lanes == 0 || kernel.groups != 1 || kernel.block_x != 0 || kernel.block_y != lanes ||
      x.rank() != 4 || x.back() > most_channels || outputs[0].dtype != DType::float32 ||
      kernel.strides.size() != 2 || kernel.dilation.size() != 2 || kernel.pad_low.size() != 2 ||
      pool.strides.size() != 2 || pool.pad_low.size() != 2 || !is_everywhere(pool.window, 2) ||
      !is_everywhere(pool.strides, 2) || !is_everywhere(pool.pad_low, 0))
    return nullptr;
  // Windows that meet fewer pixels than 2x2 are left to others.
  if (y[2] * 2 > kernel.unpooled[2] || y[3] * 2 > kernel.unpooled[3]) return nullptr;
  for (const Operand& input : inputs)
    if (input.dtype != DType::float32) return nullptr;
  ThinProblem p;
  p.batch = x[0];
  p.in = x.back();
  p.out = filters.back();
  p.pooled_rows = y[2];
  p.pooled_columns = y[3];
  p.relu = kernel.relu;
  p.maximum = pool.maximum;
  int64_t seen[2];
  for (int axis = 0; axis < 2; ++axis) {
    const auto i = static_cast<size_t>(axis);
    p.strides[axis] = kernel.strides[i];
    seen[axis] =
        (2 * y[2 + axis] - 1) * p.strides[axis] + (filters[axis] - 1) * kernel.dilation[i] + 1;
  }
  // x as it is, if all that is read lies inside of it.
  const bool inside = is_everywhere(kernel.pad_low, 0) && seen[0] <= x[1] && seen[1] <= x[2];
  p.rows = inside ? x[1] : std::max(seen[0], x[1] + kernel.pad_low[0]);
  p.columns = inside ? x[2] : std::max(seen[1], x[2] + kernel.pad_low[1]);
  std::vector<int64_t> taps;
  for (int64_t i = 0; i < filters[0]; ++i)
    for (int64_t j = 0; j < filters[1]; ++j)
      for (int64_t c = 0; c < p.in; ++c)
        taps.push_back((i * kernel.dilation[0] * p.columns + j * kernel.dilation[1]) * p.in + c);
  return std::make_unique<ThinPooled>(p, std::move(taps), kernel, x);
}

}  // namespace cornu::backend::cpu
#endif  // HWY_ONCE
