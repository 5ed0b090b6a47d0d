// Canvas: pixels to draw on.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace cornu::data {

/// Red, green and blue.
using Color = std::array<uint8_t, 3>;

/// A color for each class, far from those of its neighbors.
Color class_color(int64_t number);

/// Eight-bit RGB pixels. What lies outside is not drawn.
class Canvas {
 public:
  /// All of one color.
  Canvas(int64_t height, int64_t width, Color background);
  int64_t height() const { return height_; }                      ///< rows
  int64_t width() const { return width_; }                        ///< columns
  const std::vector<uint8_t>& pixels() const { return pixels_; }  ///< row by row

  /// Mixes a color into a pixel; opacity 1 replaces it.
  void put(int64_t x, int64_t y, Color color, double opacity = 1);
  /// A straight line of one pixel.
  void line(double x0, double y0, double x1, double y1, Color color);
  /// The edges of a box, two pixels wide.
  void box(double left, double top, double right, double bottom, Color color);
  /// Text with its upper left corner at (x, y), 7 pixels high and 6 for each letter. Letters that
  /// are not ASCII are drawn as boxes.
  void text(int64_t x, int64_t y, std::string_view text, Color color);
  /// How wide a text is.
  static int64_t text_width(std::string_view text) { return 6 * static_cast<int64_t>(text.size()); }

 private:
  int64_t height_, width_;
  std::vector<uint8_t> pixels_;
};

}  // namespace cornu::data
