// AveragePooling1D, AveragePooling2D, AveragePooling3D: the mean of each window.
#pragma once
#include "pooling_layer.h"

namespace cornu::layers {

using AveragePooling1DConfig = AveragePoolingConfig<1>;

/// x (batch, steps, channels) -> (batch, new steps, channels); see PoolingLayer.
class AveragePooling1DLayer
    : public PoolingLayer<AveragePooling1DLayer, AveragePooling1DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;
};

using AveragePooling1D = Ref<AveragePooling1DLayer>;

using AveragePooling2DConfig = AveragePoolingConfig<2>;

/// x (batch, height, width, channels) -> (batch, new height, new width, channels); see
/// PoolingLayer.
class AveragePooling2DLayer
    : public PoolingLayer<AveragePooling2DLayer, AveragePooling2DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;
};

using AveragePooling2D = Ref<AveragePooling2DLayer>;

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
extern template class LayerOf<layers::AveragePooling1DLayer, layers::AveragePooling1DConfig>;
extern template class LayerOf<layers::AveragePooling2DLayer, layers::AveragePooling2DConfig>;
extern template class LayerOf<layers::AveragePooling3DLayer, layers::AveragePooling3DConfig>;
}  // namespace cornu
