// Random parts of images, resized.
#include "random_resized_crop.h"

#include <cmath>

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
  const double height = static_cast<double>(height_of(sample)),
               width = static_cast<double>(width_of(sample));
  std::array<int64_t, 4> part = {0, 0, height_of(sample), width_of(sample)};
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = drawn(config.scale, draws) * height * width;
    const double ratio =
        std::exp(draws.uniform(std::log(config.ratio[0]), std::log(config.ratio[1])));
    const int64_t columns = std::llround(std::sqrt(area * ratio)),
                  rows = std::llround(std::sqrt(area / ratio));
    if (rows < 1 || columns < 1 || rows > part[2] || columns > part[3]) continue;
    part = {draws.below(part[2] - rows + 1), draws.below(part[3] - columns + 1), rows, columns};
    break;
  }
  data::apply(
      sample,
      data::resized(part, *config.height, *config.width, {config.interpolation, config.antialias}),
      draws);
}

void register_random_resized_crop(Catalog& c) {
  c.add<RandomResizedCropLayer>("cornu>RandomResizedCrop");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomResizedCropLayer,
                              cornu::layers::RandomResizedCropConfig>;
