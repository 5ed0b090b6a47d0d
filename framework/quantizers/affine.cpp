// Scales and zero points of unsigned integers of few bits.
#include "affine.h"

#include <algorithm>
#include <cmath>

namespace cornu::quantizers {

namespace {

struct Range {
  float least, greatest;
};

// The arithmetic is float32's in Keras's order, so that ties are rounded alike.
std::pair<float, float> scale_and_zero(Range range, const AffineOptions& options) {
  const auto most = static_cast<float>((int64_t{1} << options.bits) - 1);
  if (options.symmetric) {
    const float bound = std::max(std::abs(range.least), range.greatest);
    if (range.least < 0) range.least = -bound;
    range.greatest = bound;
  }
  if (range.least == range.greatest) range = {range.least - 1, range.greatest + 1};
  const auto scale = [&] {
    const float scale = (range.greatest - range.least) / most;
    return scale <= 0 ? 1e-8F : scale;
  };
  if (options.symmetric) return {scale(), (most + 1) / 2};
  const auto zero = [&] { return std::nearbyint(-range.least / scale()); };
  if (zero() < 0 || zero() > 255)
    range = {std::min(range.least, 0.0F), std::max(range.greatest, 0.0F)};
  return {scale(), zero()};
}

}  // namespace

AffineParameters affine_parameters(std::span<const float> rows, int64_t channels,
                                   const AffineOptions& options, bool with_zero) {
  const auto columns = static_cast<size_t>(channels);
  std::vector<Range> ranges(columns);
  for (size_t c = 0; c < columns; ++c)
    ranges[c] = with_zero ? Range{std::min(rows[c], 0.0F), std::max(rows[c], 0.0F)}
                          : Range{rows[c], rows[c]};
  for (size_t i = columns; i < rows.size(); i += columns)
    for (size_t c = 0; c < columns; ++c) {
      ranges[c].least = std::min(ranges[c].least, rows[i + c]);
      ranges[c].greatest = std::max(ranges[c].greatest, rows[i + c]);
    }
  if (!options.per_channel) {
    Range all = ranges[0];
    for (const Range& range : ranges)
      all = {std::min(all.least, range.least), std::max(all.greatest, range.greatest)};
    std::ranges::fill(ranges, all);
  }
  AffineParameters result;
  for (const Range& range : ranges) {
    const auto [scale, zero] = scale_and_zero(range, options);
    result.scale.push_back(scale);
    result.zero.push_back(zero);
  }
  return result;
}

float to_affine(float x, float scale, float zero, float most) {
  return std::clamp(std::nearbyint(x / scale + zero), 0.0F, most);
}

}  // namespace cornu::quantizers
