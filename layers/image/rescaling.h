// Rescaling: brings data to another range.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct RescalingConfig {
  Required<Numbers> scale;
  Numbers offset = 0.0;
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x * scale + offset, in the layer's compute dtype; lists are along the last axis.
class RescalingLayer : public LayerOf<RescalingLayer, RescalingConfig> {
 public:
  explicit RescalingLayer(RescalingConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
};

using Rescaling = Ref<RescalingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::RescalingLayer, layers::RescalingConfig>;
}
