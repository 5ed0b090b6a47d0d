// Scales and zero points of unsigned integers of few bits, for calibrated quantization.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace cornu::quantizers {

/// Scales and zero points of one group: one of each for a channel.
struct AffineParameters {
  std::vector<float> scale;  ///< weights are about (integer - zero) * scale
  std::vector<float> zero;   ///< whole, in [0, 255]
};

/// How they are chosen.
struct AffineOptions {
  int64_t bits = 4;         ///< integers are in [0, 2^bits - 1]
  bool symmetric = false;   ///< the range is as large on both sides of 0
  bool per_channel = true;  ///< else one scale serves all channels
};

/// Spreads the integers over the range from the least to the greatest weight of a channel among
/// `rows`, which holds whole rows of so many channels; with `with_zero`, 0 counts as one of them.
///
/// A range beside 0 is widened to reach 0 where its zero point would not fit in a byte, as in
/// Frantar et al., https://arxiv.org/abs/2210.17323. (Keras lets the byte overflow.)
AffineParameters affine_parameters(std::span<const float> rows, int64_t channels,
                                   const AffineOptions& options, bool with_zero = false);
/// The integer for x, as a float: rounded to even, in [0, most].
float to_affine(float x, float scale, float zero, float most);

}  // namespace cornu::quantizers
