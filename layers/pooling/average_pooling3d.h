// AveragePooling3D: the average of windows.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

using AveragePooling3DConfig = AveragePoolingConfig<3>;

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., channels); see PoolingLayer.
class AveragePooling3DLayer
    : public PoolingLayer<AveragePooling3DLayer, AveragePooling3DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;
};

using AveragePooling3D = Ref<AveragePooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AveragePooling3DLayer, layers::AveragePooling3DConfig>;
}  // namespace cornu
