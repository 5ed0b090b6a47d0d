// Conv2DTranspose: transposed convolution over images.
#pragma once
#include "conv_transpose_common.h"

namespace cornu::layers {

using Conv2DTransposeConfig = ConvTransposeConfig<2>;

/// x (batch, height, width, channels) -> (batch, new height, new width, filters); see
/// ConvTransposeLayer.
class Conv2DTransposeLayer : public ConvTransposeLayer<Conv2DTransposeLayer, 2> {
 public:
  using ConvTransposeLayer::ConvTransposeLayer;
};

using Conv2DTranspose = Ref<Conv2DTransposeLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv2DTransposeLayer, layers::Conv2DTransposeConfig>;
extern template class layers::ConvTransposeLayer<layers::Conv2DTransposeLayer, 2>;
}  // namespace cornu
