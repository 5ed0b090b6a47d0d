// Some images without colors.
#include "random_grayscale.h"

#include <fmt/core.h>

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/color.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomGrayscaleLayer::RandomGrayscaleLayer(RandomGrayscaleConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  if (!(config.factor >= 0 && config.factor <= 1))
    throw ValueError(fmt::format("factor: expected a number in [0, 1], found {}.", config.factor));
}

Transformation RandomGrayscaleLayer::get_random_transformation(const Nest& data, bool,
                                                               SeedGenerator* seed) {
  const Tensor draws = draw_for_images(data, 0, 1, seed ? *seed : seeds_);
  return {.values = {{"should_apply", per_image(ops::less(draws, config.factor))}}};
}

Tensor RandomGrayscaleLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                              bool training) {
  if (!training) return images;
  const Tensor& chosen = drawn["should_apply"];
  if (!images_channels_first() && by_pictures(images, {chosen}) && images.shape()[3] == 3)
    return each_picture(images, {chosen}, false, "grayscale",
                        [](const Picture& from, const Picture& to, const auto& draws) {
                          toward_gray(from, to, draws.is(0) ? 1 : 0);
                        });
  return ops::where(chosen, ops::rgb_to_grayscale(images, config.data_format), images);
}

void RandomGrayscaleLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!draws.happens(config.factor) || (sample.image.rank() == 3 && sample.image.shape()[2] == 1))
    return;
  check_colors(sample);
  data::recolor(sample, [&](const Picture& from, const Picture& to) { toward_gray(from, to, 1); });
}

void register_random_grayscale(Catalog& c) {
  c.add<RandomGrayscaleLayer>("keras.layers.RandomGrayscale");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomGrayscaleLayer,
                              cornu::layers::RandomGrayscaleConfig>;
