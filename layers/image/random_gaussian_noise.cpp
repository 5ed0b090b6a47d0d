// Images with normal noise at random.
#include "random_gaussian_noise.h"

#include "../../backend/image_colors.h"
#include "colors.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomGaussianNoiseLayer::RandomGaussianNoiseLayer(RandomGaussianNoiseConfig c)
    : SampleLayerOf(std::move(c)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  config.stddev = as_numbers(factor_bounds(config.stddev, "stddev", 0, 1));
  config.value_range = settled_range(config.value_range);
}

void RandomGaussianNoiseLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  const double low = config.value_range[0], high = config.value_range[1];
  const auto deviation = static_cast<float>(drawn(config.stddev, draws) * (high - low));
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    add_noise(from, to, draws.key(), 0, deviation, !config.per_channel, static_cast<float>(low),
              static_cast<float>(high));
  });
}

void register_random_gaussian_noise(Catalog& c) {
  c.add<RandomGaussianNoiseLayer>("cornu>RandomGaussianNoise");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomGaussianNoiseLayer,
                              cornu::layers::RandomGaussianNoiseConfig>;
