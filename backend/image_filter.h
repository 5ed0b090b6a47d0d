// Filters: pixels that become weighted sums of their neighbors.
#pragma once
#include <span>
#include <vector>

#include "image.h"

namespace cornu::backend::image {

/// A neighbor of a pixel, and its weight.
struct Tap {
  int64_t down;   ///< rows below the pixel
  int64_t right;  ///< columns to the right of it
  float weight;   ///< of it in the sum
};

/// Fills `to` with the sums of each pixel's neighbors times their weights; both pictures are of
/// uint8 or float32, and of the same form. What is outside is filled, constants with 0.
void filter(const Picture& from, const Picture& to, std::span<const Tap> taps, Fill fill);

/// The same for weights that are products of `across` and `down`, each of an odd number of
/// neighbors about the pixel.
void filter_separable(const Picture& from, const Picture& to, std::span<const float> across,
                      std::span<const float> down, Fill fill);

/// Weights, of sum 1, of `size` neighbors about a pixel: a bell of that deviation.
std::vector<float> bell(int64_t size, double deviation);

/// Fills `to` with weight_a * a + weight_b * b; all three are of one form.
void blend(const Picture& a, float weight_a, const Picture& b, float weight_b, const Picture& to);

}  // namespace cornu::backend::image
