// Weaker and stronger colors.
#include "random_saturation.h"

#include <fmt/core.h>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/color.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomSaturationLayer::RandomSaturationLayer(RandomSaturationConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, -1, 1);
  config.value_range = settled_range(config.value_range);
}

Transformation RandomSaturationLayer::get_random_transformation(const Nest& data, bool,
                                                                SeedGenerator* seed) {
  const auto& bounds = config.factor->values();
  const Tensor factor = draw_for_images(data, bounds[0], bounds[1], seed ? *seed : seeds_);
  return {.values = {{"factor", fused([](Expr f, Expr epsilon) { return f / (1.0 - f + epsilon); },
                                      factor, Tensor(1e-7))}}};
}

Tensor RandomSaturationLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                               bool training) {
  if (!training) return images;
  const auto low = static_cast<float>(config.value_range[0]),
             high = static_cast<float>(config.value_range[1]);
  // Factors near 1 make any multiple of a saturation, and of what the steps before it rounded off:
  // then the steps are Keras's own.
  constexpr double largest_factor = 0.9;
  if (config.factor->values()[1] <= largest_factor && !images_channels_first() &&
      by_pictures(images, {drawn["factor"]}) && images.shape()[3] == 3)
    return each_picture(images, {drawn["factor"]}, false,
                        fmt::format("saturation {} {}", low, high),
                        [low, high](const Picture& from, const Picture& to, const auto& draws) {
                          saturate(from, to, draws[0], low, high);
                        });
  const Tensor factor = per_image(ops::cast(drawn["factor"], compute_dtype()), images.rank());
  auto planes = ops::split(ops::rgb_to_hsv(images, config.data_format), 3, channel_axis());
  planes[1] = ops::clip(planes[1] * factor, config.value_range[0], config.value_range[1]);
  return ops::hsv_to_rgb(ops::concatenate(planes, channel_axis()), config.data_format);
}

void RandomSaturationLayer::augment(data::Sample& sample, data::Draws& draws) const {
  check_colors(sample);
  const double f = drawn(*config.factor, draws);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    const auto low = static_cast<float>(config.value_range[0]),
               high = static_cast<float>(config.value_range[1]);
    saturate(from, to, static_cast<float>(f / (1 - f + 1e-7)), low, high);
  });
}

void register_random_saturation(Catalog& c) {
  c.add<RandomSaturationLayer>("keras.layers.RandomSaturation");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomSaturationLayer,
                              cornu::layers::RandomSaturationConfig>;
