// Kernels on colors: pixels that change by themselves, and what is counted of all of them.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "image.h"
#include "random_bits.h"

namespace cornu::backend::image {

// All take pictures of uint8 or float32, where `from` and `to` have one form and may be one.
// Results in uint8 are rounded to even and cut to 0 and 255.

/// value * factor + offset of each channel, cut to [low, high].
void scale(const Picture& from, const Picture& to, std::span<const float> factors,
           std::span<const float> offsets, float low, float high);

/// The three channels as weighted sums of the three and a number: rows of a matrix (3, 4), cut to
/// [low, high].
void mix_channels(const Picture& from, const Picture& to, const std::array<float, 12>& matrix,
                  float low, float high);

/// As HSV, the saturation (in [0, 1]) times `factor`, cut to [low, high]; of RGB.
void saturate(const Picture& from, const Picture& to, float factor, float low, float high);

/// The hue moved by `turn` of the circle, in [-1, 1]; of RGB with values in [low, high], to which
/// results are cut.
void turn_hue(const Picture& from, const Picture& to, float turn, float low, float high);

/// uint8: each value replaced by that of its channel's table of 256; one table serves all channels.
void look_up(const Picture& from, const Picture& to, std::span<const uint8_t> tables);
/// float32: table[floor(value * factor + offset)] with the place cut to the table, one of `size`
/// numbers for each channel or for all of them.
void look_up(const Picture& from, const Picture& to, std::span<const float> tables, int64_t size,
             float factor, float offset);

/// float32, of values in [0, 255]: `addition` is added, and what then is at least `threshold`
/// becomes 255 - value; values are scale * value + offset before, and the reverse after.
void solarize(const Picture& from, const Picture& to, float addition, float threshold, float scale,
              float offset);

/// Normal noise added: of each value, or with `gray` of each pixel, cut to [low, high]. The noise
/// follows from the key alone.
void add_noise(const Picture& from, const Picture& to, Key key, float mean, float deviation,
               bool gray, float low, float high);

/// What a channel holds.
struct ChannelStatistics {
  double sum = 0;     ///< of all values
  float lowest = 0;   ///< the least value
  float highest = 0;  ///< the largest one
};
/// Of each channel.
std::vector<ChannelStatistics> statistics(const Picture& picture);

/// How many values of each channel are in each of `bins`: floor(value * factor + offset), cut to
/// the bins. One row of `bins` counts for each channel, of the window (top, left, height, width).
std::vector<int32_t> histograms(const Picture& picture, const std::array<int64_t, 4>& window,
                                int64_t bins, float factor, float offset);

}  // namespace cornu::backend::image
