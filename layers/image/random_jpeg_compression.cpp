// Images through JPEG files of random quality.
#include "random_jpeg_compression.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "../../framework/io/images/jpeg.h"
#include "colors.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

namespace {

// Of one row, whose values from `low` on are steps of 1 / `scale`, as levels; no number is level 0.
template <class T>
void row_to_levels(const T* values, uint8_t* levels, size_t count, double low, double scale) {
  for (size_t i = 0; i < count; ++i) {
    const double level = std::nearbyint((static_cast<double>(values[i]) - low) * scale);
    levels[i] = level > 0 ? static_cast<uint8_t>(std::min(level, 255.0)) : uint8_t{0};
  }
}

void row_from_levels(const uint8_t* levels, uint8_t* values, size_t count, double low,
                     double scale) {
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<uint8_t>(
        std::clamp(std::nearbyint(static_cast<double>(levels[i]) / scale + low), 0.0, 255.0));
}

void row_from_levels(const uint8_t* levels, float* values, size_t count, double low, double scale) {
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>(static_cast<double>(levels[i]) / scale + low);
}

// The picture in levels, coded and decoded again.
io::Image compressed(const Picture& from, double low, double scale, int64_t quality) {
  io::Image image{from.height, from.width, from.channels};
  image.pixels.resize(image.size());
  const auto count = static_cast<size_t>(from.width * from.channels);
  for (int64_t y = 0; y < from.height; ++y) {
    uint8_t* const levels = image.pixels.data() + static_cast<size_t>(y) * count;
    if (from.dtype == DType::uint8)
      row_to_levels(from.row_as<uint8_t>(y), levels, count, low, scale);
    else
      row_to_levels(from.row_as<float>(y), levels, count, low, scale);
  }
  const std::string file = io::encode_jpeg(image, {.quality = static_cast<int>(quality)});
  return io::decode_jpeg(std::as_bytes(std::span(file)), "an image that is compressed");
}

void put_levels(const io::Image& image, const Picture& to, double low, double scale) {
  const auto count = static_cast<size_t>(to.width * to.channels);
  for (int64_t y = 0; y < to.height; ++y) {
    const uint8_t* const levels = image.pixels.data() + static_cast<size_t>(y) * count;
    if (to.dtype == DType::uint8)
      row_from_levels(levels, to.row_as<uint8_t>(y), count, low, scale);
    else
      row_from_levels(levels, to.row_as<float>(y), count, low, scale);
  }
}

}  // namespace

RandomJpegCompressionLayer::RandomJpegCompressionLayer(RandomJpegCompressionConfig c)
    : SampleLayerOf(std::move(c)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  config.value_range = settled_range(config.value_range);
  const auto& quality = config.quality;
  if (quality.size() != 2 || quality[0] < 1 || quality[0] > quality[1] || quality[1] > 100)
    throw ValueError(
        fmt::format("quality: expected two numbers from 1 to 100, the least and the largest, found "
                    "({}).",
                    fmt::join(quality, ", ")));
}

void RandomJpegCompressionLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  const int64_t least = config.quality[0], largest = config.quality[1];
  const int64_t quality = least + draws.below(largest - least + 1);
  const double low = config.value_range[0], scale = 255 / (config.value_range[1] - low);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    if (from.channels != 1 && from.channels != 3)
      throw ShapeError(
          fmt::format("image: a JPEG file has 1 or 3 channels, found {} of {} x {} pixels.",
                      from.channels, from.height, from.width));
    put_levels(compressed(from, low, scale, quality), to, low, scale);
  });
}

void register_random_jpeg_compression(Catalog& c) {
  c.add<RandomJpegCompressionLayer>("cornu>RandomJpegCompression");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomJpegCompressionLayer,
                              cornu::layers::RandomJpegCompressionConfig>;
