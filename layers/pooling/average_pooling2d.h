// AveragePooling2D: the average of windows.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

using AveragePooling2DConfig = AveragePoolingConfig<2>;

/// x (batch, height, width, channels) -> (batch, new height, new width, channels); see
/// PoolingLayer.
class AveragePooling2DLayer
    : public PoolingLayer<AveragePooling2DLayer, AveragePooling2DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;
};

using AveragePooling2D = Ref<AveragePooling2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AveragePooling2DLayer, layers::AveragePooling2DConfig>;
}
