// MaxPooling3D: the maximum of windows.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

using MaxPooling3DConfig = MaxPoolingConfig<3>;

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., channels); see PoolingLayer.
class MaxPooling3DLayer
    : public PoolingLayer<MaxPooling3DLayer, MaxPooling3DConfig, Pooling::maximum> {
 public:
  using PoolingLayer::PoolingLayer;
};

using MaxPooling3D = Ref<MaxPooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaxPooling3DLayer, layers::MaxPooling3DConfig>;
}  // namespace cornu
