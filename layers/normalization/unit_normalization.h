// UnitNormalization: scales each sample to length 1.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of UnitNormalization, as in Keras.
struct UnitNormalizationConfig {
  Axes axis = -1;                         ///< one axis or several: what has length 1 together
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
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
