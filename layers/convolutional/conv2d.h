// Conv2D: convolution over images.
#pragma once
#include "conv_common.h"

namespace cornu::layers {

using Conv2DConfig = ConvConfig<2>;

/// x (batch, height, width, channels) -> (batch, new height, new width, filters); see ConvLayer.
class Conv2DLayer : public ConvLayer<Conv2DLayer, 2> {
 public:
  using ConvLayer::ConvLayer;
};

using Conv2D = Ref<Conv2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv2DLayer, layers::Conv2DConfig>;
extern template class layers::ConvLayer<layers::Conv2DLayer, 2>;
}  // namespace cornu
