// AdaptiveMaxPooling2D: the maximum of as many windows as are wanted.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveMaxPooling2DLayer
    : public AdaptivePoolingLayer<AdaptiveMaxPooling2DLayer, Pooling::maximum, 2> {
 public:
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

using AdaptiveMaxPooling2D = Ref<AdaptiveMaxPooling2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveMaxPooling2DLayer, layers::AdaptivePoolingConfig<2>>;
}  // namespace cornu
