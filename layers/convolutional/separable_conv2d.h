// SeparableConv2D: convolution of each channel of images apart, then of the channels.
#pragma once
#include "separable_conv_common.h"

namespace cornu::layers {

using SeparableConv2DConfig = SeparableConvConfig<2>;

/// x (batch, height, width, channels) -> (batch, new height, new width, filters); see
/// SeparableConvLayer.
class SeparableConv2DLayer : public SeparableConvLayer<SeparableConv2DLayer, 2> {
 public:
  using SeparableConvLayer::SeparableConvLayer;
};

using SeparableConv2D = Ref<SeparableConv2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SeparableConv2DLayer, layers::SeparableConv2DConfig>;
extern template class layers::SeparableConvLayer<layers::SeparableConv2DLayer, 2>;
}  // namespace cornu
