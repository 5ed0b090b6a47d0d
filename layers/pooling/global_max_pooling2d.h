// GlobalMaxPooling2D: the maximum over all of the spatial axes.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, height, width, channels) -> (batch, channels), or with keepdims all of x's axes.
class GlobalMaxPooling2DLayer
    : public GlobalPoolingLayer<GlobalMaxPooling2DLayer, Pooling::maximum, 2> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

using GlobalMaxPooling2D = Ref<GlobalMaxPooling2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalMaxPooling2DLayer, layers::GlobalPoolingConfig>;
}
