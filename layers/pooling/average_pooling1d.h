// AveragePooling1D: the average of windows.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

using AveragePooling1DConfig = AveragePoolingConfig<1>;

/// x (batch, steps, channels) -> (batch, new steps, channels); see PoolingLayer.
class AveragePooling1DLayer
    : public PoolingLayer<AveragePooling1DLayer, AveragePooling1DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;
};

using AveragePooling1D = Ref<AveragePooling1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AveragePooling1DLayer, layers::AveragePooling1DConfig>;
}
