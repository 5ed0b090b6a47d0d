// Colors of classes on images.
#include "draw_segmentation_masks.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../ops/core/cast.h"
#include "../../ops/numpy/manipulation.h"

namespace cornu::visualization {
namespace {

std::vector<Color> colors_of(int64_t count, const DrawMasksOptions& options) {
  std::vector<Color> colors;
  for (int64_t i = 0; i < count; ++i) {
    const auto part = [&](int64_t step) { return static_cast<uint8_t>(i * step % 255); };
    if (!options.color_mapping) {
      colors.push_back({part((1 << 25) - 1), part((1 << 15) - 1), part((1 << 21) - 1)});
      continue;
    }
    const auto color = options.color_mapping->find(i);
    if (color == options.color_mapping->end())
      throw ValueError(fmt::format(
          "draw_segmentation_masks: color_mapping has no color for class {} of {}.", i, count));
    colors.push_back(color->second);
  }
  return colors;
}

void check_mask_shapes(const Shape& images, const Tensor& masks) {
  const Shape& shape = masks.shape();
  const bool one = shape.rank() == 3 || (shape.rank() == 4 && shape[3] == 1);
  if (images.rank() != 4 || images[3] != 3 || !one || shape.slice(0, 3) != images.slice(0, 3))
    throw ShapeError(fmt::format(
        "draw_segmentation_masks: expected images (batch, height, width, 3) and masks (batch, "
        "height, width) or (batch, height, width, 1), found {} and {}.",
        images.str(), shape.str()));
  if (is_float(masks.dtype()) || masks.dtype() == DType::boolean)
    throw ValueError(
        fmt::format("draw_segmentation_masks: masks must be integers, found {}. Cast them.",
                    dtype_name(masks.dtype())));
}

}  // namespace

Tensor draw_segmentation_masks(const Tensor& given, const Tensor& given_masks,
                               const DrawMasksOptions& options) {
  const auto channels_last = [&](const Tensor& t) {
    const bool turn = options.data_format == "channels_first" && t.rank() == 4;
    return turn ? ops::transpose(t, {0, 2, 3, 1}) : t;
  };
  const Tensor images = channels_last(given), masks = channels_last(given_masks);
  check_mask_shapes(images.shape(), masks);
  if (options.alpha < 0 || options.alpha > 1)
    throw ValueError(
        fmt::format("draw_segmentation_masks: alpha must be 0 to 1, found {}.", options.alpha));
  std::vector<float> pixels = ops::cast(images, DType::float32).to_vector<float>();
  const std::vector<int64_t> classes = ops::cast(masks, DType::int64).to_vector<int64_t>();
  const int64_t most = classes.empty() ? 0 : *std::max_element(classes.begin(), classes.end());
  const std::vector<Color> colors = colors_of(options.num_classes.value_or(most), options);
  const auto alpha = static_cast<float>(options.alpha),
             rest = static_cast<float>(1 - options.alpha);
  for (size_t i = 0; i < classes.size(); ++i)
    for (size_t c = 0; c < 3; ++c) {
      float& value = pixels[3 * i + c];
      const bool colored = classes[i] >= 0 && classes[i] < static_cast<int64_t>(colors.size());
      const float drawn = colored ? colors[static_cast<size_t>(classes[i])][c] : value;
      if (!options.blend)
        value = drawn;
      else if (classes[i] != options.ignore_index)
        value = value * rest + drawn * alpha;
    }
  const Tensor drawn = Tensor::from(pixels, images.shape());
  return options.blend ? ops::cast(drawn, DType::uint8) : drawn;
}

}  // namespace cornu::visualization
