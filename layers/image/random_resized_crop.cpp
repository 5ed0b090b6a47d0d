// Random parts of images, resized.
#include "random_resized_crop.h"

#include "../../framework/data/random_part.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomResizedCropLayer::RandomResizedCropLayer(RandomResizedCropConfig c)
    : SampleLayerOf(std::move(c)) {
  check_positive("height", *config.height);
  check_positive("width", *config.width);
  config.scale = as_numbers(factor_bounds(config.scale, "scale", 0, 1));
  if (config.ratio.size() != 2 || !(config.ratio[0] > 0 && config.ratio[0] <= config.ratio[1]))
    throw ValueError("ratio: expected two positive numbers, the least and the largest.");
}

void RandomResizedCropLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const auto& [top, left, height, width] = data::random_part(
      height_of(sample), width_of(sample), draws,
      {config.scale.values()[0], config.scale.values()[1]}, {config.ratio[0], config.ratio[1]});
  data::apply(sample,
              data::resized({top, left, height, width}, *config.height, *config.width,
                            {config.interpolation, config.antialias}),
              draws);
}

void register_random_resized_crop(Catalog& c) {
  c.add<RandomResizedCropLayer>("cornu>RandomResizedCrop");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomResizedCropLayer,
                              cornu::layers::RandomResizedCropConfig>;
