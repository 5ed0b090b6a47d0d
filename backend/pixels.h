// Pixels of decoded images as the floats that networks take.
#pragma once
#include <array>
#include <cstdint>

namespace cornu::backend {

/// Rows of pixels of 4 bytes: red, green, blue, and one that is passed over.
struct PixelGrid {
  const uint8_t* pixels = nullptr;  ///< row after row
  int64_t height = 0;               ///< rows
  int64_t width = 0;                ///< pixels of a row
};

/// A rectangle of a grid, in pixels; its edges may lie between pixels, and are inside the grid.
struct PixelBox {
  double top = 0;     ///< of the first row's upper edge
  double left = 0;    ///< of the first column's left edge
  double height = 0;  ///< more than 0
  double width = 0;   ///< more than 0
};

/// Where floats go, and what they are.
struct PixelTarget {
  float* values = nullptr;                  ///< height * width * 3
  int64_t height = 0;                       ///< of the result
  int64_t width = 0;                        ///< of the result
  bool channels_first = false;              ///< (3, height, width) instead of (height, width, 3)
  bool flip = false;                        ///< left to right
  std::array<float, 3> scale = {1, 1, 1};   ///< value = level * scale + offset, for each channel
  std::array<float, 3> offset = {0, 0, 0};  ///< in units of the result
};

/// Resizes a rectangle by linear interpolation between pixel centers (as OpenCV's INTER_LINEAR on
/// the cut rectangle; pixels outside of it are not looked at), mirrors it, and scales its levels:
/// one pass over the target, in float32. Computes on the calling thread.
void resize_pixels(const PixelGrid& grid, const PixelBox& box, const PixelTarget& target);

}  // namespace cornu::backend
