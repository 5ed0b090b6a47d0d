// SeparableConv1D: convolution of each channel of a sequence apart, then of the channels.
#pragma once
#include "separable_conv_common.h"

namespace cornu::layers {

using SeparableConv1DConfig = SeparableConvConfig<1>;

/// x (batch, steps, channels) -> (batch, new steps, filters); see SeparableConvLayer.
class SeparableConv1DLayer : public SeparableConvLayer<SeparableConv1DLayer, 1> {
 public:
  using SeparableConvLayer::SeparableConvLayer;
};

using SeparableConv1D = Ref<SeparableConv1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SeparableConv1DLayer, layers::SeparableConv1DConfig>;
extern template class layers::SeparableConvLayer<layers::SeparableConv1DLayer, 1>;
}  // namespace cornu
