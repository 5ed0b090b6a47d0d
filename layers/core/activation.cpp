// An activation function as a layer.
#include "activation.h"

namespace cornu::layers {

ActivationLayer::ActivationLayer(ActivationConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
}

void register_activation(Catalog& c) { c.add<ActivationLayer>("keras.layers.Activation"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ActivationLayer, cornu::layers::ActivationConfig>;
