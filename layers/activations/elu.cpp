// The exponential linear unit.
#include "elu.h"

#include "../../framework/ops/nn/activations.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

ELULayer::ELULayer(ELUConfig c) : LayerOf(std::move(c)) { supports_masking_ = true; }

Tensor ELULayer::call(const Tensor& x, const Call&) { return ops::elu(x, config.alpha); }

void register_elu(Catalog& c) { c.add<ELULayer>("keras.layers.ELU"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ELULayer, cornu::layers::ELUConfig>;
