// AdaptiveMaxPooling1D: the maximum of as many windows as are wanted.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, output_size..., channels); see AdaptivePoolingLayer.
class AdaptiveMaxPooling1DLayer
    : public AdaptivePoolingLayer<AdaptiveMaxPooling1DLayer, Pooling::maximum, 1> {
 public:
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

using AdaptiveMaxPooling1D = Ref<AdaptiveMaxPooling1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveMaxPooling1DLayer, layers::AdaptivePoolingConfig<1>>;
}  // namespace cornu
