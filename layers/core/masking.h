// Masking: marks the steps of a sequence whose values are all a certain number as padding.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Masking, as in Keras.
struct MaskingConfig {
  double mask_value = 0.0;  ///< value of all features of a step to mask
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, features) -> the same with masked steps set to 0; the mask (batch, steps) is
/// false where all features equal mask_value.
class MaskingLayer : public LayerOf<MaskingLayer, MaskingConfig> {
 public:
  explicit MaskingLayer(MaskingConfig config);  ///< accepts inputs with a mask
  Tensor call(const Tensor& x, const Call&) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
};

using Masking = Ref<MaskingLayer>;  ///< a shared MaskingLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaskingLayer, layers::MaskingConfig>;
}
