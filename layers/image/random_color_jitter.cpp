// Four random changes of colors.
#include "random_color_jitter.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"

namespace cornu::layers {

namespace {

template <class L>
Tensor jittered(const Tensor& images, const L& layer, SeedGenerator& seeds) {
  return layer->transform_images(images, layer->get_random_transformation(images, true, &seeds));
}

}  // namespace

RandomColorJitterLayer::RandomColorJitterLayer(RandomColorJitterConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  if (config.brightness_factor)
    random_brightness =
        track("random_brightness", RandomBrightness({.factor = *config.brightness_factor,
                                                     .value_range = config.value_range,
                                                     .seed = config.seed}));
  if (config.contrast_factor)
    random_contrast = track("random_contrast", RandomContrast({.factor = *config.contrast_factor,
                                                               .value_range = config.value_range,
                                                               .seed = config.seed}));
  if (config.saturation_factor)
    random_saturation =
        track("random_saturation", RandomSaturation({.factor = *config.saturation_factor,
                                                     .value_range = config.value_range,
                                                     .seed = config.seed}));
  if (config.hue_factor)
    random_hue = track("random_hue", RandomHue({.factor = *config.hue_factor,
                                                .value_range = config.value_range,
                                                .seed = config.seed}));
}

Tensor RandomColorJitterLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                                bool training) {
  if (!training) return images;
  SeedGenerator& seeds = drawn.seed ? *drawn.seed : seeds_;
  Tensor x = ops::cast(images, compute_dtype());
  if (config.brightness_factor) x = jittered(x, random_brightness, seeds);
  if (config.contrast_factor) {
    Transformation contrast = random_contrast->get_random_transformation(x, true, &seeds);
    contrast.values[0].second = ops::cast(contrast["contrast_factor"], compute_dtype());
    x = random_contrast->transform_images(x, contrast);
  }
  if (config.saturation_factor) x = jittered(x, random_saturation, seeds);
  if (config.hue_factor) x = jittered(x, random_hue, seeds);
  return ops::cast(x, compute_dtype());
}

void RandomColorJitterLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (config.brightness_factor) random_brightness->augment(sample, draws);
  if (config.contrast_factor) random_contrast->augment(sample, draws);
  if (config.saturation_factor) random_saturation->augment(sample, draws);
  if (config.hue_factor) random_hue->augment(sample, draws);
}

void register_random_color_jitter(Catalog& c) {
  c.add<RandomColorJitterLayer>("keras.layers.RandomColorJitter");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomColorJitterLayer,
                              cornu::layers::RandomColorJitterConfig>;
