// AdaptiveAveragePooling1D: the average of as many windows as are wanted.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, output_size..., channels); see AdaptivePoolingLayer.
class AdaptiveAveragePooling1DLayer
    : public AdaptivePoolingLayer<AdaptiveAveragePooling1DLayer, Pooling::average, 1> {
 public:
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

using AdaptiveAveragePooling1D = Ref<AdaptiveAveragePooling1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveAveragePooling1DLayer,
                              layers::AdaptivePoolingConfig<1>>;
}  // namespace cornu
