// Conv3D: convolution over volumes.
#pragma once
#include "conv_common.h"

namespace cornu::layers {

using Conv3DConfig = ConvConfig<3>;

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., filters); see ConvLayer.
class Conv3DLayer : public ConvLayer<Conv3DLayer, 3> {
 public:
  using ConvLayer::ConvLayer;
};

using Conv3D = Ref<Conv3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv3DLayer, layers::Conv3DConfig>;
extern template class layers::ConvLayer<layers::Conv3DLayer, 3>;
}  // namespace cornu
