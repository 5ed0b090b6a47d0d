// A table for each tile and channel; each row of the picture has those above and below it mixed
// first, so that a pixel takes two numbers.
#include "../image_equalization.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "../image_colors.h"
#include "../image_rows.h"

namespace cornu::backend::image {
namespace {

constexpr int64_t bins = 256;

// The picture with as many more rows and columns by reflection.
std::vector<std::byte> padded(const Picture& from, int64_t height, int64_t width, Picture& result) {
  result = from;
  result.height = height;
  result.width = width;
  std::vector<std::byte> memory(result.row_bytes() * static_cast<size_t>(height));
  result.data = memory.data();
  const size_t pixel = from.pixel_bytes();
  for (int64_t y = 0; y < height; ++y) {
    const std::byte* in = from.row(folded(y, from.height, Fill::reflect));
    std::memcpy(result.row(y), in, from.row_bytes());
    for (int64_t x = from.width; x < width; ++x)
      std::memcpy(result.row(y) + static_cast<size_t>(x) * pixel,
                  in + static_cast<size_t>(folded(x, from.width, Fill::reflect)) * pixel, pixel);
  }
  return memory;
}

// What each byte becomes by a histogram of `area` values, in the picture's range.
void make_table(const int32_t* counts, double area, const Tiling& tiling, float* table) {
  std::array<double, bins> histogram;
  std::copy_n(counts, bins, histogram.begin());
  if (tiling.clip_limit > 0) {
    const double limit = tiling.clip_limit * area / bins;
    double beyond = 0;
    for (double& count : histogram) {
      beyond += std::max(count - limit, 0.0);
      count = std::min(count, limit);
    }
    for (double& count : histogram) count += beyond / bins;
  }
  const double least = histogram[0], span = area - least;
  double sum = 0;
  for (size_t i = 0; i < bins; ++i) {
    sum += histogram[i];
    const double byte = std::clamp((sum - least) * 255 / (span > 0 ? span : 1), 0.0, 255.0);
    table[i] = static_cast<float>(byte / 255) * (tiling.high - tiling.low) + tiling.low;
  }
}

// A place between the middles of tiles: the one before, the one after, and the fraction of the
// latter.
struct Between {
  int64_t before, after;
  float fraction;
};

Between between_tiles(int64_t place, int64_t size, int64_t count) {
  const float n = static_cast<float>(size);
  const float at = (static_cast<float>(place) - n / 2) / n;
  const float whole = std::floor(at);
  const auto tile = static_cast<int64_t>(whole);
  return {std::clamp<int64_t>(tile, 0, count - 1), std::clamp<int64_t>(tile + 1, 0, count - 1),
          at - whole};
}

// A row from the tables of the tiles across it, (columns, channels, bins).
template <class T>
void map_row(const T* from, T* to, int64_t width, int64_t channels, const float* tables,
             const std::vector<Between>& across, float factor, float offset) {
  const int64_t tile = channels * bins;
  for (int64_t x = 0; x < width; ++x, from += channels, to += channels) {
    const Between& at = across[static_cast<size_t>(x)];
    const float *left = tables + at.before * tile, *right = tables + at.after * tile;
    for (int64_t c = 0; c < channels; ++c) {
      int64_t bin;
      if constexpr (sizeof(T) == 1)
        bin = from[c];
      else
        bin = static_cast<int64_t>(std::min(std::max(0.0f, from[c] * factor + offset), 255.0f));
      const float a = left[c * bins + bin], b = right[c * bins + bin];
      const float y = a + (b - a) * at.fraction;
      if constexpr (sizeof(T) == 1)
        to[c] = static_cast<uint8_t>(std::min(std::max(y, 0.0f), 255.0f) + 0.5f);
      else
        to[c] = y;
    }
  }
}

}  // namespace

void equalize_by_tiles(const Picture& from, const Picture& to, const Tiling& tiling) {
  const auto [rows, columns, limit, low, high] = tiling;
  const int64_t c = from.channels, height = (from.height + rows - 1) / rows,
                width = (from.width + columns - 1) / columns;
  const float factor = 255 / (high - low), offset = -low * factor;
  Picture whole = from;
  std::vector<std::byte> memory;
  if (height * rows != from.height || width * columns != from.width)
    memory = padded(from, height * rows, width * columns, whole);
  std::vector<float> tables(static_cast<size_t>(rows * columns * c * bins));
  const bool as_they_are = from.dtype == DType::uint8;
  for (int64_t i = 0; i < rows * columns; ++i) {
    const auto counts =
        histograms(whole, {i / columns * height, i % columns * width, height, width}, bins,
                   as_they_are ? 1 : factor, as_they_are ? 0 : offset);
    for (int64_t k = 0; k < c; ++k)
      make_table(counts.data() + k * bins, static_cast<double>(height * width), tiling,
                 tables.data() + (i * c + k) * bins);
  }
  std::vector<Between> across;
  for (int64_t x = 0; x < from.width; ++x) across.push_back(between_tiles(x, width, columns));
  const int64_t line = columns * c * bins;
  std::vector<float> mixed(static_cast<size_t>(line));
  for (int64_t y = 0; y < from.height; ++y) {
    const Between at = between_tiles(y, height, rows);
    const float* const terms[] = {tables.data() + at.before * line,
                                  tables.data() + at.after * line};
    const float weights[] = {1 - at.fraction, at.fraction};
    weigh_rows(terms, weights, line, mixed.data());
    if (as_they_are)
      map_row(from.row_as<uint8_t>(y), to.row_as<uint8_t>(y), from.width, c, mixed.data(), across,
              factor, offset);
    else
      map_row(from.row_as<float>(y), to.row_as<float>(y), from.width, c, mixed.data(), across,
              factor, offset);
  }
}

}  // namespace cornu::backend::image
