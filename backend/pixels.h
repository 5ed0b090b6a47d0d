// Pixels of decoded images as the floats that networks take.
#pragma once
#include <array>
#include <cstdint>

namespace cornu::backend {

/// Rows of pixels: red, green, blue, and perhaps a fourth byte that is passed over.
struct PixelGrid {
  const uint8_t* pixels = nullptr;  ///< row after row
  int64_t height = 0;               ///< rows
  int64_t width = 0;                ///< pixels of a row
  int64_t bytes = 4;                ///< of a pixel, 3 or 4
};

/// A rectangle of a grid, in pixels; its edges may lie between pixels, and are inside the grid.
struct PixelBox {
  double top = 0;     ///< of the first row's upper edge
  double left = 0;    ///< of the first column's left edge
  double height = 0;  ///< more than 0
  double width = 0;   ///< more than 0
  /// 1, 2, 4 or 8: squares of so many pixels along a side, counted from the grid's first pixel, are
  /// replaced by their means, rounded to whole levels (halves up), before anything else happens.
  int64_t reduction = 1;
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
/// the cut rectangle; pixels, or means of squares, outside of it are not looked at), mirrors it,
/// and scales its levels. The fractions of neighbors in a row are rounded to 2^-14 (OpenCV's to
/// 2^-11): a level is within 2^-15 of the difference between two neighbors, at most 0.008, of the
/// exact one, and is not rounded; the rest is float32. The same bits on every machine. Reads no
/// byte outside of the grid, writes past the caches where rows are aligned, and computes on the
/// calling thread.
void resize_pixels(const PixelGrid& grid, const PixelBox& box, const PixelTarget& target);

}  // namespace cornu::backend
