// Images stretched to the whole range.
#include "auto_contrast.h"

#include <fmt/core.h>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {
namespace {

// Each channel's values to the whole range; a channel of one value stays as it is.
void stretch(const Picture& from, const Picture& to, const std::vector<double>& value_range) {
  const auto low = static_cast<float>(value_range[0]), high = static_cast<float>(value_range[1]);
  std::vector<float> factors, offsets;
  float least = low, most = high;
  for (const auto& channel : statistics(from)) {
    const float range = channel.highest - channel.lowest;
    const float factor = range > 0 ? (high - low) / range : 1;
    factors.push_back(factor);
    offsets.push_back(range > 0 ? low - channel.lowest * factor : 0);
    if (range > 0) continue;
    least = std::min(least, channel.lowest);
    most = std::max(most, channel.lowest);
  }
  scale(from, to, factors, offsets, least, most);
}

}  // namespace

AutoContrastLayer::AutoContrastLayer(AutoContrastConfig c) : ImageLayerOf(std::move(c)) {
  config.value_range = settled_range(config.value_range);
}

Tensor AutoContrastLayer::transform_images(const Tensor& images, const Transformation&, bool) {
  const Tensor original = ops::cast(images, compute_dtype());
  if (!images_channels_first() && by_pictures(original, {}))
    return each_picture(
        original, {}, false,
        fmt::format("auto contrast {} {}", config.value_range[0], config.value_range[1]),
        [range = config.value_range](const Picture& from, const Picture& to, const auto&) {
          stretch(from, to, range);
        });
  const Tensor x = transform_value_range(original, config.value_range, byte_range, compute_dtype());
  const std::vector<int64_t> axes = {1, 2};
  const Tensor low = ops::min(x, axes, true), high = ops::max(x, axes, true);
  const Tensor scale = 255.0 / (high - low);
  const Tensor stretched = ops::clip(x * scale + (-low) * scale, 0.0, 255.0);
  const Tensor y =
      transform_value_range(stretched, byte_range, config.value_range, compute_dtype());
  return ops::where(ops::isnan(y), original, y);
}

void AutoContrastLayer::augment(data::Sample& sample, data::Draws&) const {
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    stretch(from, to, config.value_range);
  });
}

void register_auto_contrast(Catalog& c) { c.add<AutoContrastLayer>("keras.layers.AutoContrast"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AutoContrastLayer, cornu::layers::AutoContrastConfig>;
