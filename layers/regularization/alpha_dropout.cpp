// Dropout that fits SELU.
#include "alpha_dropout.h"

#include <cmath>

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/random/draws.h"
#include "spatial_dropout.h"

namespace cornu::layers {

AlphaDropoutLayer::AlphaDropoutLayer(AlphaDropoutConfig c) : LayerOf(std::move(c)) {
  check_fraction("rate", config.rate);
  supports_masking_ = true;
  if (config.rate > 0) seeds_ = &add_seed_generator(config.seed);
}

Tensor AlphaDropoutLayer::call(const Tensor& x, const Call& call) {
  if (!call.is_training() || !seeds_) return x;
  if (config.rate == 1)
    throw ValueError("option 'rate' is 1, which would leave nothing. Choose a smaller one.");
  Shape noise = x.shape();
  if (config.noise_shape) {
    noise = *config.noise_shape;
    check_rank(x.shape(), noise.rank(), "(as many as noise_shape has)");
    for (int i = 0; i < noise.rank(); ++i)
      if (noise[i] == Shape::unknown) noise[i] = x.shape()[i];
  }
  const double alpha = 1.6732632423543772848170429916717, scale = 1.0507009873554804934193349852946;
  const double lowest = -alpha * scale, rate = config.rate;
  const double factor = 1 / std::sqrt((1 - rate) * (1 + rate * lowest * lowest));
  const double offset = -factor * lowest * rate;
  const Tensor keep = ops::greater_equal(random::uniform(noise, 0, 1, *seeds_), Tensor(rate));
  return fused([](Expr x, Expr keep, Expr lowest, Expr factor,
                  Expr offset) { return factor * expr::select(keep, x, lowest) + offset; },
               x, keep, Tensor(lowest), Tensor(factor), Tensor(offset));
}

void register_alpha_dropout(Catalog& c) { c.add<AlphaDropoutLayer>("keras.layers.AlphaDropout"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AlphaDropoutLayer, cornu::layers::AlphaDropoutConfig>;
