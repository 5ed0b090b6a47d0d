// Colors turned on their circle.
#include "random_hue.h"

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

RandomHueLayer::RandomHueLayer(RandomHueConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
  check_range(config.value_range);
}

Transformation RandomHueLayer::get_random_transformation(const Nest& data, bool,
                                                         SeedGenerator* seed) {
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const auto& bounds = config.factor->values();
  const Tensor side = draw_for_images(data, 0, 1, seeds);
  const Tensor factor = draw_for_images(data, bounds[0], bounds[1], seeds);
  return {.values = {
              {"factor", fused([](Expr side,
                                  Expr f) { return expr::select(side > 0.5, -1.0, 1.0) * f * 0.5; },
                               side, factor)}}};
}

Tensor RandomHueLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                        bool training) {
  if (!training) return images;
  const auto low = static_cast<float>(config.value_range[0]),
             high = static_cast<float>(config.value_range[1]);
  if (!images_channels_first() && by_pictures(images, {drawn["factor"]}) && images.shape()[3] == 3)
    return each_picture(images, {drawn["factor"]}, false, fmt::format("hue {} {}", low, high),
                        [low, high](const Picture& from, const Picture& to, const auto& draws) {
                          turn_hue(from, to, draws[0], low, high);
                        });
  const Tensor x =
      transform_value_range(ops::cast(images, compute_dtype()), config.value_range, unit_range);
  const Tensor turn = per_image(ops::cast(drawn["factor"], x.dtype()), x.rank());
  auto planes = ops::split(ops::rgb_to_hsv(x, config.data_format), 3, channel_axis());
  planes[0] = fused(
      [](Expr hue, Expr turn) {
        const Expr turned = hue + turn;
        const Expr below = expr::select(turned > 1.0, turned - 1.0, turned);
        return expr::select(below < 0.0, below + 1.0, below);
      },
      planes[0], turn);
  const Tensor y = ops::hsv_to_rgb(ops::concatenate(planes, channel_axis()), config.data_format);
  return ops::cast(transform_value_range(ops::clip(y, 0.0, 1.0), unit_range, config.value_range),
                   compute_dtype());
}

void RandomHueLayer::augment(data::Sample& sample, data::Draws& draws) const {
  check_colors(sample);
  const double sign = draws.happens(0.5) ? -1 : 1, factor = drawn(*config.factor, draws);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    const auto low = static_cast<float>(config.value_range[0]),
               high = static_cast<float>(config.value_range[1]);
    turn_hue(from, to, static_cast<float>(sign * factor * 0.5), low, high);
  });
}

void register_random_hue(Catalog& c) { c.add<RandomHueLayer>("keras.layers.RandomHue"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomHueLayer, cornu::layers::RandomHueConfig>;
