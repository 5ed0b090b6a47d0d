// GlobalAveragePooling1D: the mean over the steps of a sequence, padding left out.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, channels), or with keepdims (batch, 1, channels). Steps
/// that the mask excludes do not count.
class GlobalAveragePooling1DLayer
    : public LayerOf<GlobalAveragePooling1DLayer, GlobalPoolingConfig> {
 public:
  explicit GlobalAveragePooling1DLayer(GlobalPoolingConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }
  bool uses_mask() const override { return true; }
};

using GlobalAveragePooling1D = Ref<GlobalAveragePooling1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalAveragePooling1DLayer, layers::GlobalPoolingConfig>;
}
