// Conv3DTranspose: transposed convolution over volumes.
#pragma once
#include "conv_transpose_common.h"

namespace cornu::layers {

using Conv3DTransposeConfig = ConvTransposeConfig<3>;

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., filters); see
/// ConvTransposeLayer.
class Conv3DTransposeLayer : public ConvTransposeLayer<Conv3DTransposeLayer, 3> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;
};

using Conv3DTranspose = Ref<Conv3DTransposeLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv3DTransposeLayer, layers::Conv3DTransposeConfig>;
extern template class layers::ConvTransposeLayer<layers::Conv3DTransposeLayer, 3>;
}  // namespace cornu
