// More and less contrast.
#include "random_contrast.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"

namespace cornu::layers {

RandomContrastLayer::RandomContrastLayer(RandomContrastConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
  check_range(config.value_range);
}

Transformation RandomContrastLayer::get_random_transformation(const Nest& data, bool training,
                                                              SeedGenerator* seed) {
  if (!training) return {};
  const auto& factor = config.factor->values();
  return {.values = {{"contrast_factor",
                      per_image(draw_for_images(data, 1 - factor[0], 1 + factor[1],
                                                seed ? *seed : seeds_, compute_dtype()))}}};
}

Tensor RandomContrastLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                             bool training) {
  if (!training) return images;
  const Tensor mean = ops::mean(images, std::vector<int64_t>{height_axis(), width_axis()}, true);
  const Tensor y = fused([](Expr x, Expr mean, Expr f) { return (x - mean) * f + mean; }, images,
                         mean, drawn["contrast_factor"]);
  return ops::clip(y, config.value_range[0], config.value_range[1]);
}

void register_random_contrast(Catalog& c) {
  c.add<RandomContrastLayer>("keras.layers.RandomContrast");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomContrastLayer,
                              cornu::layers::RandomContrastConfig>;
