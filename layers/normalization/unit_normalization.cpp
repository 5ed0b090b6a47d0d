// Normalization to length 1.
#include "unit_normalization.h"

#include "../../framework/ops/nn/normalization.h"

namespace cornu::layers {

UnitNormalizationLayer::UnitNormalizationLayer(UnitNormalizationConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
}

Tensor UnitNormalizationLayer::call(const Tensor& x, const Call&) {
  return ops::normalize(x, config.axis, 2, 1e-12);
}

void register_unit_normalization(Catalog& c) {
  c.add<UnitNormalizationLayer>("keras.layers.UnitNormalization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::UnitNormalizationLayer,
                              cornu::layers::UnitNormalizationConfig>;
