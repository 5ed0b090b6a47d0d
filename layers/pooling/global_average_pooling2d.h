// GlobalAveragePooling2D: the average over all of the spatial axes.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, height, width, channels) -> (batch, channels), or with keepdims all of x's axes.
class GlobalAveragePooling2DLayer
    : public GlobalPoolingLayer<GlobalAveragePooling2DLayer, Pooling::average, 2> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

using GlobalAveragePooling2D = Ref<GlobalAveragePooling2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalAveragePooling2DLayer, layers::GlobalPoolingConfig>;
}
