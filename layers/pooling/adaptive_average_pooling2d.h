// AdaptiveAveragePooling2D: the average of as many windows as are wanted.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveAveragePooling2DLayer
    : public AdaptivePoolingLayer<AdaptiveAveragePooling2DLayer, Pooling::average, 2> {
 public:
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

using AdaptiveAveragePooling2D = Ref<AdaptiveAveragePooling2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveAveragePooling2DLayer,
                              layers::AdaptivePoolingConfig<2>>;
}  // namespace cornu
