// Winograd's algorithm for the gradient of 3x3 filters: some tiles at a time are transformed, and
// multiplied into sums.
#include <algorithm>

#include "allocator.h"
#include "parallel.h"
#include "winograd.h"
#include "winograd_loops.h"

namespace cornu::backend::cpu {
namespace {

/// Bytes of transformed data and gradients: written and read again, so they should stay in the
/// caches, but sums are read and written once for that many.
constexpr int64_t step_bytes = 2 * 1024 * 1024;
/// Parts of the tiles of a step, which have sums of their own for the bias.
constexpr int64_t parts = 16;
constexpr int64_t fewest_tiles = 64, most_tiles = 512;

WinogradWeights problem_of(const ConvSizes& s) {
  WinogradWeights p;
  p.batch = s.batch;
  p.in = s.in_channels;
  p.out = s.out_channels;
  p.rows = s.x[1];
  p.columns = s.x[2];
  p.out_rows = s.y[1];
  p.out_columns = s.y[2];
  p.pad_rows = s.pad_low[1];
  p.pad_columns = s.pad_low[2];
  return p;
}

class WinogradWeightsConv final : public PreparedConv {
 public:
  WinogradWeightsConv(const WinogradWeights& problem, bool bias)
      : problem_(problem), bias_(bias), loops_(winograd_weight_loops()) {}

  void run(const ConvData& operands) override {
    WinogradWeights p = problem_;
    const int64_t tiles = p.tiles(), blocks = loops_.blocks(p);
    const int64_t work = 36 * tiles * p.in * p.out;
    const int64_t tile_bytes = 36 * (p.in + p.out) * static_cast<int64_t>(sizeof(float));
    p.step = std::clamp(step_bytes / tile_bytes / 8 * 8, fewest_tiles, most_tiles);
    p.step = std::min(p.step, tiles);
    p.x = operands.first;
    p.dy = operands.second;
    // With one step only, sums are done with once their block is.
    const bool one_step = p.step == tiles;
    const int64_t sums_floats =
        (one_step ? std::min(parts, blocks) : blocks) * loops_.block_floats(p);
    const int64_t data_floats = loops_.data_floats(p), bias_floats = bias_ ? parts * p.out : 0;
    const int64_t gradient_floats = loops_.gradient_floats(p);
    const Scratch scratch(
        static_cast<size_t>(data_floats + gradient_floats + sums_floats + bias_floats) *
        sizeof(float));
    p.data = static_cast<float*>(scratch.data());
    p.gradients = p.data + data_floats;
    float* const sums = p.gradients + gradient_floats;
    float* const bias = bias_ ? sums + sums_floats : nullptr;
    std::fill_n(bias, bias_floats, 0.0f);

    for (int64_t first = 0; first < tiles; first += p.step) {
      const int64_t count = std::min(p.step, tiles - first);
      const int64_t step_work = work / tiles * count;
      parallel_for(parts, step_work, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part)
          loops_.transform(p, first, part * count / parts, (part + 1) * count / parts,
                           bias_ ? bias + part * p.out : nullptr);
      });
      const int64_t block_parts = std::min(parts, blocks);
      parallel_for(block_parts, step_work, [&](int64_t begin, int64_t end) {
        for (int64_t part = begin; part < end; ++part)
          for (int64_t b = part * blocks / block_parts; b < (part + 1) * blocks / block_parts;
               ++b) {
            float* const own = sums + (one_step ? part : b) * loops_.block_floats(p);
            loops_.multiply(p, b, count, first > 0, own);
            if (first + count == tiles) loops_.finish(p, b, own, operands.out);
          }
      });
    }
    for (int64_t c = 0; bias_ && c < p.out; ++c) {
      float sum = 0;
      for (int64_t part = 0; part < parts; ++part) sum += bias[part * p.out + c];
      operands.bias_gradient[c] = sum;
    }
  }
  bool gives_bias_gradient() const override { return bias_; }
  bool reorders_filters() const override { return false; }
  void keep_filters(const float*) override {}

 private:
  WinogradWeights problem_;
  bool bias_;
  const WinogradWeightLoops& loops_;
};

}  // namespace

std::unique_ptr<PreparedConv> prepare_winograd_weights(const ConvSizes& sizes) {
  return std::make_unique<WinogradWeightsConv>(problem_of(sizes), sizes.bias != 0);
}

}  // namespace cornu::backend::cpu
