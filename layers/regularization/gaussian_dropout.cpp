// Noise around 1.
#include "gaussian_dropout.h"

#include <cmath>

#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "spatial_dropout.h"

namespace cornu::layers {

GaussianDropoutLayer::GaussianDropoutLayer(GaussianDropoutConfig c) : LayerOf(std::move(c)) {
  check_fraction("rate", config.rate);
  supports_masking_ = true;
  if (config.rate > 0) seeds_ = &add_seed_generator(config.seed);
}

Tensor GaussianDropoutLayer::call(const Tensor& x, const Call& call) {
  if (!call.is_training() || !seeds_) return x;
  if (config.rate == 1)
    throw ValueError("option 'rate' is 1, for which the noise is infinite. Choose a smaller one.");
  const double deviation = std::sqrt(config.rate / (1 - config.rate));
  return x * random::normal(x.shape(), 1, deviation, *seeds_, compute_dtype());
}

void register_gaussian_dropout(Catalog& c) {
  c.add<GaussianDropoutLayer>("keras.layers.GaussianDropout");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GaussianDropoutLayer,
                              cornu::layers::GaussianDropoutConfig>;
