// MaxPooling1D: the maximum of windows.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

using MaxPooling1DConfig = MaxPoolingConfig<1>;

/// x (batch, steps, channels) -> (batch, new steps, channels); see PoolingLayer.
class MaxPooling1DLayer
    : public PoolingLayer<MaxPooling1DLayer, MaxPooling1DConfig, Pooling::maximum> {
 public:
  using PoolingLayer::PoolingLayer;
};

using MaxPooling1D = Ref<MaxPooling1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaxPooling1DLayer, layers::MaxPooling1DConfig>;
}
