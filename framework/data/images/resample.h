// Images in other sizes, with the very gray levels that Pillow computes.
#pragma once
#include <string>

#include "../../io/images/image.h"

namespace cornu::data {

/// The part of an image between two corners, in pixels; edges may lie between pixels.
struct Box {
  double left = 0;    ///< from the left edge
  double top = 0;     ///< from the top edge
  double right = 0;   ///< from the left edge
  double bottom = 0;  ///< from the top edge
};

/// The names of the methods that `resample` knows: nearest, box, bilinear, hamming, bicubic and
/// lanczos.
const std::vector<std::string>& resampling_methods();

/// `box` of an image as height x width pixels, as `Image.resize` of Pillow 13 does it: two passes,
/// horizontal first, whose weights are the method's filter, widened where the image shrinks;
/// 8-bit values by 22-bit fixed point, rounded after each pass; RGBA with its colors weighted by
/// alpha. "nearest" takes the pixel in the middle. Throws ValueError for an unknown method, a size
/// below 1, or a box that is empty or not in the image.
io::Image resample(const io::Image& image, int64_t height, int64_t width, const std::string& method,
                   const Box& box);
/// The same of the whole image; an image of that size comes back as it is.
io::Image resample(const io::Image& image, int64_t height, int64_t width,
                   const std::string& method);

}  // namespace cornu::data
