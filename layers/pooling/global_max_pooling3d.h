// GlobalMaxPooling3D: the maximum over all of the spatial axes.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, depth, height, width, channels) -> (batch, channels), or with keepdims all of x's
/// axes.
class GlobalMaxPooling3DLayer
    : public GlobalPoolingLayer<GlobalMaxPooling3DLayer, Pooling::maximum, 3> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

using GlobalMaxPooling3D = Ref<GlobalMaxPooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalMaxPooling3DLayer, layers::GlobalPoolingConfig>;
}  // namespace cornu
