// DepthwiseConv1D: convolution of each channel of a sequence apart.
#pragma once
#include "depthwise_conv_common.h"

namespace cornu::layers {

using DepthwiseConv1DConfig = DepthwiseConvConfig<1>;

/// x (batch, steps, channels) -> (batch, new steps, channels * depth_multiplier); see
/// DepthwiseConvLayer.
class DepthwiseConv1DLayer : public DepthwiseConvLayer<DepthwiseConv1DLayer, 1> {
 public:
  using DepthwiseConvLayer::DepthwiseConvLayer;
};

using DepthwiseConv1D = Ref<DepthwiseConv1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DepthwiseConv1DLayer, layers::DepthwiseConv1DConfig>;
extern template class layers::DepthwiseConvLayer<layers::DepthwiseConv1DLayer, 1>;
}  // namespace cornu
