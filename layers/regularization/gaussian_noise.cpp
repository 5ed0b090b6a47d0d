// Noise that is added.
#include "gaussian_noise.h"

#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "spatial_dropout.h"

namespace cornu::layers {

GaussianNoiseLayer::GaussianNoiseLayer(GaussianNoiseConfig c) : LayerOf(std::move(c)) {
  check_fraction("stddev", config.stddev);
  supports_masking_ = true;
  if (config.stddev > 0) seeds_ = &add_seed_generator(config.seed);
}

Tensor GaussianNoiseLayer::call(const Tensor& x, const Call& call) {
  if (!call.is_training() || !seeds_) return x;
  return x + random::normal(x.shape(), 0, config.stddev, *seeds_, compute_dtype());
}

void register_gaussian_noise(Catalog& c) {
  c.add<GaussianNoiseLayer>("keras.layers.GaussianNoise");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GaussianNoiseLayer,
                              cornu::layers::GaussianNoiseConfig>;
