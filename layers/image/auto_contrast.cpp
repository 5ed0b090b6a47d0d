// Images stretched to the whole range.
#include "auto_contrast.h"

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

AutoContrastLayer::AutoContrastLayer(AutoContrastConfig c) : ImageLayerOf(std::move(c)) {
  config.value_range = settled_range(config.value_range);
}

Tensor AutoContrastLayer::transform_images(const Tensor& images, const Transformation&, bool) {
  const Tensor original = ops::cast(images, compute_dtype());
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
    const auto low = static_cast<float>(config.value_range[0]),
               high = static_cast<float>(config.value_range[1]);
    std::vector<float> factors, offsets;
    for (const auto& channel : statistics(from)) {
      const float range = channel.highest - channel.lowest;
      const float factor = range > 0 ? (high - low) / range : 1;
      factors.push_back(factor);
      offsets.push_back(range > 0 ? low - channel.lowest * factor : 0);
    }
    scale(from, to, factors, offsets, low, high);
  });
}

void register_auto_contrast(Catalog& c) { c.add<AutoContrastLayer>("keras.layers.AutoContrast"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AutoContrastLayer, cornu::layers::AutoContrastConfig>;
