// Winograd's F(4x4, 3x3): transforms of filters, data and results, and the products between them.
#include "winograd.h"

#include <algorithm>
#include <optional>

#include "allocator.h"
#include "blocked_conv.h"
#include "kept_filters.h"
#include "parallel.h"
#include "targets.h"
#include "winograd_loops.h"

namespace cornu::backend::cpu {
namespace {

/// Bytes of transformed data that a thread works on at a time: they are read once for each panel of
/// filters, so they should stay in the second cache, but each filter should meet many tiles.
constexpr int64_t data_bytes = 384 * 1024;
constexpr int64_t most_tiles = 64, fewest_tiles = 32;
/// Filters above this are transformed in each run rather than kept: 4 times the memory is too much
/// for them.
constexpr int64_t most_kept = 128 * 128;

WinogradProblem problem_of(const ConvSizes& s) {
  const bool forward = static_cast<ConvPass>(s.pass) == ConvPass::forward;
  WinogradProblem p;
  p.batch = s.batch;
  p.in = forward ? s.in_channels : s.out_channels;
  p.out = forward ? s.out_channels : s.in_channels;
  const std::array<int64_t, 3>& from = forward ? s.x : s.y;
  const std::array<int64_t, 3>& to = forward ? s.y : s.x;
  p.rows = from[1];
  p.columns = from[2];
  p.out_rows = to[1];
  p.out_columns = to[2];
  // The backward pass is a convolution of dy, with the filters turned round.
  // A 3x3 filter turned around reaches 2 - pad beyond the first row.
  p.pad_rows = forward ? s.pad_low[1] : 2 - s.pad_low[1];
  p.pad_columns = forward ? s.pad_low[2] : 2 - s.pad_low[2];
  p.turned = !forward;
  p.relu = s.relu != 0;
  return p;
}

class WinogradConv final : public PreparedConv {
 public:
  explicit WinogradConv(const WinogradProblem& problem)
      : problem_(problem), loops_(winograd_loops()) {}

  void run(const ConvData& data) override {
    WinogradProblem p = problem_;
    p.x = data.first;
    p.bias = data.bias;
    p.y = data.out;
    const int64_t tiles = p.tiles();
    const int64_t work = 36 * tiles * p.in * p.out / multiplications_per_operation;
    const auto up_to_8 = [](int64_t count) { return (count + 7) / 8 * 8; };
    int64_t threads = threads_for(work);
    // The rest of a few tiles would read all filters again, and hardly shorten the largest block.
    if (4 * up_to_8((tiles + threads - 1) / threads) > 3 * tiles) threads = 1;
    p.step = std::min(up_to_8((tiles + threads - 1) / threads),
                      std::clamp(data_bytes / (36 * 4 * p.in), fewest_tiles, most_tiles));
    // As many blocks for each thread, where there are few. No result depends on the step.
    const int64_t rounds = (tiles + p.step * threads - 1) / (p.step * threads);
    p.step = std::min(p.step, up_to_8((tiles + rounds * threads - 1) / (rounds * threads)));
    const int64_t blocks = (tiles + p.step - 1) / p.step;
    const int64_t part_floats = loops_.scratch(p);
    const bool kept = kept_.data() != nullptr;
    std::optional<Scratch> own;
    if (!kept) {
      own.emplace(static_cast<size_t>(filter_floats()) * sizeof(float));
      transform(data.second, static_cast<float*>(own->data()));
    }
    p.filters = static_cast<const float*>(kept ? kept_.data() : own->data());
    parallel_or_throw(blocks, work, [&](int64_t begin, int64_t end) {
      const Scratch scratch(static_cast<size_t>(part_floats) * sizeof(float));
      loops_.convolve(p, begin * p.step, std::min(tiles, end * p.step),
                      static_cast<float*>(scratch.data()));
    });
  }
  bool reorders_filters() const override { return problem_.in * problem_.out <= most_kept; }
  void keep_filters(const float* filters) override {
    const size_t bytes = static_cast<size_t>(filter_floats()) * sizeof(float);
    transform(filters, static_cast<float*>(kept_.make(bytes)));
    // Equal filters of several plans, one for each concurrent caller, are in memory once.
    kept_.share();
  }

 private:
  int64_t filter_floats() const { return loops_.filter_floats(problem_); }
  void transform(const float* kernel, float* to) const {
    const int64_t lanes = loops_.lanes;
    parallel_for(problem_.in / lanes, 90 * problem_.in * problem_.out,
                 [&](int64_t begin, int64_t end) {
                   loops_.filters(problem_, kernel, begin * lanes, end * lanes, to);
                 });
  }

  WinogradProblem problem_;
  const WinogradLoops& loops_;
  KeptFilters kept_;
};

bool fits(const ConvSizes& s, int64_t lanes) {
  const auto is = [](const std::array<int64_t, 3>& values, int64_t value) {
    return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == value; });
  };
  return lanes > 0 && s.spatial == 2 && s.groups == 1 && s.block_x == lanes && s.block_y == lanes &&
         s.kernel[1] == 3 && s.kernel[2] == 3 && is(s.strides, 1) && is(s.dilation, 1) &&
         std::min(s.pad_low[1], s.pad_low[2]) >= 0 && std::max(s.pad_low[1], s.pad_low[2]) <= 2;
}

// Multiplications that take as long as bringing one channel of a tile into blocks, or back:
// estimated from its bytes, 128 read and written.
constexpr double blocking = 500;

// Multiplications that take as long as the parts of the algorithm: fitted to times of 12 shapes (16
// to 512 channels, 7x7 to 56x56, batches 1 to 128; Zen 5 with AVX-512). `extra` comes on top for
// each channel of a tile.
bool pays(const ConvSizes& s, const WinogradProblem& p, double extra) {
  constexpr double channel =
      600;  // transforming one channel of a tile, with its way to memory and back
  constexpr double filter = 700, large_filter = 2600, kept_filter = 300;
  constexpr int64_t most_cached = 300 * 300;  // filters beyond that go to memory and back
  const auto pairs = static_cast<double>(p.in * p.out);
  const auto pixels = static_cast<double>(s.batch * s.y[1] * s.y[2]);
  const bool may_be_kept = !p.turned && p.in * p.out <= most_kept;
  const double filters = pairs * (may_be_kept                   ? kept_filter
                                  : p.in * p.out <= most_cached ? filter
                                                                : large_filter);
  // 36 multiplications for 16 results instead of 144, at 85 % of the peak against 90 % of a direct
  // convolution.
  const double tile = 36 * pairs / 0.85 + (channel + extra) * static_cast<double>(p.in + p.out);
  return static_cast<double>(p.tiles()) * tile + filters < 9 * pixels * pairs / 0.9;
}

// The same for the gradients of filters, fitted to the 3x3 convolutions of ResNet-50 at batch 16.
bool weights_pay(const ConvSizes& s, double extra) {
  constexpr double channel = 1000, filter = 900;
  const auto pairs = static_cast<double>(s.in_channels * s.out_channels);
  const auto pixels = static_cast<double>(s.batch * s.y[1] * s.y[2]);
  const auto tiles = static_cast<double>(s.batch * ((s.y[1] + 3) / 4) * ((s.y[2] + 3) / 4));
  const double tile =
      36 * pairs / 0.85 + (channel + extra) * static_cast<double>(s.in_channels + s.out_channels);
  return tiles * tile + filter * pairs < 9 * pixels * pairs / 0.9;
}

}  // namespace

std::unique_ptr<PreparedConv> prepare_winograd(const ConvSizes& given) {
  const int64_t lanes = winograd_loops().lanes;
  ConvSizes sizes = given;
  const bool channels_last = given.block_x == 0 && given.block_y == 0 && lanes > 0 &&
                             given.in_channels % lanes == 0 && given.out_channels % lanes == 0;
  if (channels_last) sizes.block_x = sizes.block_y = lanes;
  if (!fits(sizes, lanes)) return nullptr;
  const double extra = channels_last ? blocking : 0;
  std::unique_ptr<PreparedConv> conv;
  if (static_cast<ConvPass>(sizes.pass) == ConvPass::backward_weights) {
    if (weights_pay(sizes, extra)) conv = prepare_winograd_weights(sizes);
  } else if (const WinogradProblem problem = problem_of(sizes); pays(sizes, problem, extra)) {
    conv = std::make_unique<WinogradConv>(problem);
  }
  return conv && channels_last ? with_channels_last(given, lanes, std::move(conv))
                               : std::move(conv);
}

}  // namespace cornu::backend::cpu
