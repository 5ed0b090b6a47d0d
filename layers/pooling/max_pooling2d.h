// MaxPooling2D: the maximum of windows.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

using MaxPooling2DConfig = MaxPoolingConfig<2>;

/// x (batch, height, width, channels) -> (batch, new height, new width, channels); see
/// PoolingLayer.
class MaxPooling2DLayer
    : public PoolingLayer<MaxPooling2DLayer, MaxPooling2DConfig, Pooling::maximum> {
 public:
  using PoolingLayer::PoolingLayer;
};

using MaxPooling2D = Ref<MaxPooling2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaxPooling2DLayer, layers::MaxPooling2DConfig>;
}
