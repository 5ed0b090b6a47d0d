// More and less contrast.
#include "random_contrast.h"

#include <fmt/core.h>

#include "../../backend/image_colors.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {
namespace {

// Moves values away from their channel's mean, or towards it, and cuts them to the range.
void spread(const Picture& from, const Picture& to, double factor, double low, double high) {
  std::vector<float> factors, offsets;
  for (const auto& channel : statistics(from)) {
    const double mean = channel.sum / static_cast<double>(from.height * from.width);
    factors.push_back(static_cast<float>(factor));
    offsets.push_back(static_cast<float>(mean * (1 - factor)));
  }
  scale(from, to, factors, offsets, static_cast<float>(low), static_cast<float>(high));
}

}  // namespace

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
  const double low = config.value_range[0], high = config.value_range[1];
  const Tensor& factor = drawn["contrast_factor"];
  if (by_pictures(images, {factor}))
    return each_picture(images, {factor}, images_channels_first(),
                        fmt::format("contrast {} {}", low, high),
                        [low, high](const Picture& from, const Picture& to, const auto& draws) {
                          spread(from, to, static_cast<double>(draws[0]), low, high);
                        });
  const Tensor mean = ops::mean(images, std::vector<int64_t>{height_axis(), width_axis()}, true);
  const Tensor y =
      fused([](Expr x, Expr mean, Expr f) { return (x - mean) * f + mean; }, images, mean, factor);
  return ops::clip(y, low, high);
}

void RandomContrastLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const std::vector<double>& bounds = config.factor->values();
  const double factor = draws.uniform(1 - bounds[0], 1 + bounds[1]);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    spread(from, to, factor, config.value_range[0], config.value_range[1]);
  });
}

void register_random_contrast(Catalog& c) {
  c.add<RandomContrastLayer>("keras.layers.RandomContrast");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomContrastLayer,
                              cornu::layers::RandomContrastConfig>;
