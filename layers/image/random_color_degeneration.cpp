// Images with fewer colors.
#include "random_color_degeneration.h"

#include <fmt/core.h>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/color.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomColorDegenerationLayer::RandomColorDegenerationLayer(RandomColorDegenerationConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, -1, 1);
  config.value_range = settled_range(config.value_range);
}

Transformation RandomColorDegenerationLayer::get_random_transformation(const Nest& data, bool,
                                                                       SeedGenerator* seed) {
  const auto& factor = config.factor->values();
  const Tensor draws = draw_for_images(data, factor[0], factor[1], seed ? *seed : seeds_);
  return {.values = {{"factor", per_image(draws)}}};
}

Tensor RandomColorDegenerationLayer::transform_images(const Tensor& images,
                                                      const Transformation& drawn, bool training) {
  if (!training) return images;
  const Tensor x = ops::cast(images, compute_dtype());
  const auto low = static_cast<float>(config.value_range[0]),
             high = static_cast<float>(config.value_range[1]);
  if (!images_channels_first() && by_pictures(x, {drawn["factor"]}) && x.shape()[3] == 3)
    return each_picture(x, {drawn["factor"]}, false, fmt::format("degeneration {} {}", low, high),
                        [low, high](const Picture& from, const Picture& to, const auto& draws) {
                          mix_channels(from, to, toward_gray(draws[0]), low, high);
                        });
  const Tensor gray = ops::rgb_to_grayscale(x, config.data_format);
  const Tensor y = fused([](Expr x, Expr gray, Expr f) { return x + f * (gray - x); }, x, gray,
                         ops::cast(drawn["factor"], x.dtype()));
  return ops::cast(ops::clip(y, config.value_range[0], config.value_range[1]), x.dtype());
}

void RandomColorDegenerationLayer::augment(data::Sample& sample, data::Draws& draws) const {
  check_colors(sample);
  const auto f = static_cast<float>(drawn(*config.factor, draws));
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    const auto low = static_cast<float>(config.value_range[0]),
               high = static_cast<float>(config.value_range[1]);
    mix_channels(from, to, toward_gray(f), low, high);
  });
}

void register_random_color_degeneration(Catalog& c) {
  c.add<RandomColorDegenerationLayer>("keras.layers.RandomColorDegeneration");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomColorDegenerationLayer,
                              cornu::layers::RandomColorDegenerationConfig>;
