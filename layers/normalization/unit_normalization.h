// UnitNormalization: scales each sample to length 1.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of UnitNormalization, as in Keras.
struct UnitNormalizationConfig {
  Axes axis = -1;  ///< one axis or several: what has length 1 together
  CORNU_LAYER_OPTIONS;
};

/// x / sqrt(sum(x^2)) along the axes; zeros stay zeros.
class UnitNormalizationLayer : public LayerOf<UnitNormalizationLayer, UnitNormalizationConfig> {
 public:
  explicit UnitNormalizationLayer(UnitNormalizationConfig config);  ///< lets masks through
  Tensor call(const Tensor& x, const Call&) override;
};

/// A shared UnitNormalizationLayer, made from its options.
using UnitNormalization = Ref<UnitNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::UnitNormalizationLayer, layers::UnitNormalizationConfig>;
}
