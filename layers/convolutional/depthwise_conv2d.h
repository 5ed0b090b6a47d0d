// DepthwiseConv2D: convolution of each channel of images apart.
#pragma once
#include "depthwise_conv_common.h"

namespace cornu::layers {

using DepthwiseConv2DConfig = DepthwiseConvConfig<2>;

/// x (batch, height, width, channels) -> (batch, new height, new width, channels *
/// depth_multiplier); see DepthwiseConvLayer.
class DepthwiseConv2DLayer : public DepthwiseConvLayer<DepthwiseConv2DLayer, 2> {
 public:
  using DepthwiseConvLayer::DepthwiseConvLayer;
};

using DepthwiseConv2D = Ref<DepthwiseConv2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DepthwiseConv2DLayer, layers::DepthwiseConv2DConfig>;
extern template class layers::DepthwiseConvLayer<layers::DepthwiseConv2DLayer, 2>;
}  // namespace cornu
