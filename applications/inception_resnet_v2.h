// The layer of InceptionResNetV2 that Keras keeps beside the network.
#pragma once
#include "../layers/layer_options.h"

namespace cornu::layers {

/// Options of CustomScaleLayer.
struct CustomScaleLayerConfig {
  Required<double> scale;                 ///< factor of the second input
  std::string name = "";                  ///< of the layer; empty: made from the class's name
  bool trainable = true;                  ///< whether training changes the weights
  std::optional<DTypePolicy> dtype = {};  ///< of weights and computation; none: the global policy
};

/// {x, y} -> x + y * scale: a residual that is scaled, https://arxiv.org/abs/1602.07261.
class CustomScaleLayerLayer : public LayerOf<CustomScaleLayerLayer, CustomScaleLayerConfig> {
 public:
  using LayerOf::LayerOf;
  Nest call_many(const Nest& inputs, const Call&) override;
};

/// A shared CustomScaleLayerLayer, made from its options.
using CustomScaleLayer = Ref<CustomScaleLayerLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::CustomScaleLayerLayer, layers::CustomScaleLayerConfig>;
}
