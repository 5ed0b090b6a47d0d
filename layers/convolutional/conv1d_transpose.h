// Conv1DTranspose: transposed convolution over a sequence.
#pragma once
#include "conv_transpose_common.h"

namespace cornu::layers {

using Conv1DTransposeConfig = ConvTransposeConfig<1>;

/// x (batch, steps, channels) -> (batch, new steps, filters); see ConvTransposeLayer.
class Conv1DTransposeLayer : public ConvTransposeLayer<Conv1DTransposeLayer, 1> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;
};

using Conv1DTranspose = Ref<Conv1DTransposeLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv1DTransposeLayer, layers::Conv1DTransposeConfig>;
extern template class layers::ConvTransposeLayer<layers::Conv1DTransposeLayer, 1>;
}  // namespace cornu
