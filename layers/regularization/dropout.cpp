// Random zeros while training.
#include "dropout.h"

#include "../../framework/ops/random/draws.h"

#include <fmt/core.h>

namespace cornu::layers {

DropoutLayer::DropoutLayer(DropoutConfig c) : LayerOf(std::move(c)) {
  check_fraction("rate", config.rate);
  supports_masking_ = true;
  if (config.rate > 0) seeds_ = &add_seed_generator(config.seed);
}

Tensor DropoutLayer::call(const Tensor& x, const Call& call) {
  if (!call.is_training() || !seeds_) return x;
  if (!config.noise_shape) return random::dropout(x, config.rate, *seeds_);
  Shape noise = *config.noise_shape;
  check_rank(x.shape(), noise.rank(), "(as many as noise_shape has)");
  for (int i = 0; i < noise.rank(); ++i)
    if (noise[i] == Shape::unknown) noise[i] = x.shape()[i];
  return random::dropout(x, config.rate, *seeds_, noise);
}

void register_dropout(Catalog& c) { c.add<DropoutLayer>("keras.layers.Dropout"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DropoutLayer, cornu::layers::DropoutConfig>;
