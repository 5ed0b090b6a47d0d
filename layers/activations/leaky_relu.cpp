// The rectifier with a slope.
#include "leaky_relu.h"

#include <fmt/core.h>

#include "../../framework/ops/nn/activations.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

LeakyReLULayer::LeakyReLULayer(LeakyReLUConfig c) : LayerOf(std::move(c)) {
  if (!(config.negative_slope >= 0))
    throw ValueError(fmt::format("option 'negative_slope' must not be negative, found {}.",
                                 config.negative_slope));
  supports_masking_ = true;
}

Tensor LeakyReLULayer::call(const Tensor& x, const Call&) {
  return ops::leaky_relu(x, config.negative_slope);
}

void register_leaky_relu(Catalog& c) { c.add<LeakyReLULayer>("keras.layers.LeakyReLU"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LeakyReLULayer, cornu::layers::LeakyReLUConfig>;
