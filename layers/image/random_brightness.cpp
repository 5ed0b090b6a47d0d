// Brighter and darker images.
#include "random_brightness.h"

#include <cmath>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomBrightnessLayer::RandomBrightnessLayer(RandomBrightnessConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, -1, 1);
  config.value_range = settled_range(config.value_range);
}

Transformation RandomBrightnessLayer::get_random_transformation(const Nest& data, bool training,
                                                                SeedGenerator* seed) {
  if (!training) return {};
  const auto& factor = config.factor->values();
  const Tensor share = draw_for_images(data, factor[0], factor[1], seed ? *seed : seeds_);
  return {.values = {
              {"rgb_delta", per_image(share) * (config.value_range[1] - config.value_range[0])}}};
}

Tensor RandomBrightnessLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                               bool training) {
  if (!training) return images;
  const double low = config.value_range[0], high = config.value_range[1];
  const Tensor delta = ops::cast(drawn["rgb_delta"], images.dtype());
  const Tensor y =
      images.dtype() == DType::float32
          ? fused([](Expr x, Expr delta, Expr low,
                     Expr high) { return expr::minimum(expr::maximum(x + delta, low), high); },
                  images, delta, Tensor(low), Tensor(high))
          : ops::clip(images + delta, low, high);
  // Integers stay integers where the range is one of integers.
  const bool whole = low == std::floor(low) && high == std::floor(high);
  return whole ? ops::cast(y, images.dtype()) : y;
}

void RandomBrightnessLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const double delta =
      drawn(*config.factor, draws) * (config.value_range[1] - config.value_range[0]);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    const auto low = static_cast<float>(config.value_range[0]),
               high = static_cast<float>(config.value_range[1]);
    const std::vector<float> factors(static_cast<size_t>(from.channels), 1),
        offsets(factors.size(), static_cast<float>(delta));
    scale(from, to, factors, offsets, low, high);
  });
}

void register_random_brightness(Catalog& c) {
  c.add<RandomBrightnessLayer>("keras.layers.RandomBrightness");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomBrightnessLayer,
                              cornu::layers::RandomBrightnessConfig>;
