// Taps, and the blocks of bytes that hold those of eight values.
#include "pixel_columns.h"

#include <algorithm>
#include <cmath>

namespace cornu::backend::cpu {
namespace {

constexpr int32_t block = 16;
constexpr uint8_t nowhere = 128;

}  // namespace

std::vector<PixelTap> pixel_taps(double begin, double size, int64_t limit, int64_t count,
                                 bool flip) {
  const auto first = std::max<int64_t>(static_cast<int64_t>(std::floor(begin)), 0);
  const auto last = std::min(static_cast<int64_t>(std::ceil(begin + size)), limit) - 1;
  std::vector<PixelTap> taps(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const double at =
        begin + (static_cast<double>(i) + 0.5) * size / static_cast<double>(count) - 0.5;
    const double inside = std::clamp(at, static_cast<double>(first), static_cast<double>(last));
    const auto low = static_cast<int64_t>(inside);
    taps[static_cast<size_t>(flip ? count - 1 - i : i)] = {
        low, std::min(low + 1, last), static_cast<float>(inside - static_cast<double>(low))};
  }
  return taps;
}

PixelColumns::PixelColumns(const std::vector<PixelTap>& taps, int64_t first, int64_t last,
                           int64_t pixel_bytes)
    : bytes(static_cast<size_t>((last - first + 1) * pixel_bytes)) {
  for (const PixelTap& tap : taps) {
    const auto weight = static_cast<int16_t>(std::lround(tap.weight * whole));
    for (int64_t c = 0; c < 3; ++c) {
      left.push_back(static_cast<int32_t>((tap.first - first) * pixel_bytes + c));
      right.push_back(static_cast<int32_t>((tap.second - first) * pixel_bytes + c));
      weights.push_back(static_cast<int16_t>(whole - weight));
      weights.push_back(weight);
    }
  }
  // The last vector repeats the last value.
  const size_t count = left.size();
  while (weights.size() < 2 * values()) weights.push_back(0);
  if (!find_windows()) windows = 0;
  left.resize(count);
  right.resize(count);
}

bool PixelColumns::find_windows() {
  if (bytes < static_cast<size_t>(block)) return false;
  const size_t padded = values();
  left.resize(padded, left.back());
  right.resize(padded, right.back());
  begins.resize(padded / 4);
  places.assign(padded * 4, nowhere);
  const auto begin_of = [&](size_t from, size_t to) {
    const int32_t low = std::min(*std::min_element(left.begin() + from, left.begin() + to),
                                 *std::min_element(right.begin() + from, right.begin() + to));
    return std::min(low, static_cast<int32_t>(bytes) - block);
  };
  const auto end_of = [&](size_t from, size_t to) {
    return 1 + std::max(*std::max_element(left.begin() + from, left.begin() + to),
                        *std::max_element(right.begin() + from, right.begin() + to));
  };
  bool one = true;
  for (size_t i = 0; i < padded; i += 8) one &= end_of(i, i + 8) - begin_of(i, i + 8) <= block;
  windows = one ? 1 : 2;
  const size_t together = one ? 8 : 4;
  for (size_t i = 0; i < padded; i += together) {
    const int32_t begin = begin_of(i, i + together);
    if (end_of(i, i + together) - begin > block) return false;
    const size_t window = i / 4;  // the second of two stands behind the first
    begins[window] = begin;
    for (size_t k = i; k < i + together; ++k) {
      places[16 * window + 2 * (k % 8)] = static_cast<uint8_t>(left[k] - begin);
      places[16 * window + 2 * (k % 8) + 1] = static_cast<uint8_t>(right[k] - begin);
    }
  }
  return true;
}

}  // namespace cornu::backend::cpu
