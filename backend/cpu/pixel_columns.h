// Which pixels of a row make those of a resized one, as its kernel wants to know it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cornu::backend::cpu {

/// Of one place of the result: the two places that it lies between.
struct PixelTap {
  int64_t first = 0;   ///< above, or to the left
  int64_t second = 0;  ///< the next one, or at the end the same
  float weight = 0;    ///< of the second
};

/// `count` places, evenly spread over [begin, begin + size) of an axis of `limit` pixels: middles
/// to middles, from the last to the first if `flip`. Pixels that the range does not touch are not
/// among them.
std::vector<PixelTap> pixel_taps(double begin, double size, int64_t limit, int64_t count,
                                 bool flip);

/// The columns of a result, three values a pixel, made of rows of bytes.
struct PixelColumns {
  static constexpr int whole = 1 << 14;  ///< both weights of a value together

  /// For taps from column `first` to `last` of rows with so many bytes a pixel.
  PixelColumns(const std::vector<PixelTap>& taps, int64_t first, int64_t last, int64_t pixel_bytes);

  size_t bytes;                      ///< of a row, which begins with `first`
  std::vector<int32_t> left, right;  ///< the bytes that a value lies between
  std::vector<int16_t> weights;      ///< of both, side by side; whole vectors of them
  /// How many blocks of 16 bytes eight values come from: the same one or two, or 0 where they lie
  /// farther apart.
  int windows = 0;
  std::vector<int32_t> begins;  ///< two for eight values: where their blocks begin
  /// For each block which byte goes to which of 16 places, the bytes of a value side by side; 128
  /// where there is none.
  std::vector<uint8_t> places;

  /// Room that a row of the result needs, whole vectors.
  size_t values() const { return (left.size() + 7) / 8 * 8; }

 private:
  bool find_windows();
};

}  // namespace cornu::backend::cpu
