// Rescaling: brings data to another range.
#pragma once
#include "../../framework/data/augment.h"
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Rescaling.
struct RescalingConfig {
  Required<Numbers> scale;  ///< factor; or one for each entry of the last axis
  Numbers offset = 0.0;     ///< added after the scale; or one for each entry of the last axis
  CORNU_LAYER_OPTIONS;
};

/// x * scale + offset, in the layer's compute dtype; lists are along the last axis.
class RescalingLayer : public LayerOf<RescalingLayer, RescalingConfig>, public data::Augmenter {
 public:
  /// Checks nothing; a mask passes through.
  explicit RescalingLayer(RescalingConfig config);
  /// Changes a sample's image, which becomes float32.
  void augment(data::Sample& sample, data::Draws& draws) const override;
  Tensor call(const Tensor& x, const Call& call) override;
};

using Rescaling = Ref<RescalingLayer>;  ///< a shared RescalingLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RescalingLayer, layers::RescalingConfig>;
}
