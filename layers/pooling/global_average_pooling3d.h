// GlobalAveragePooling3D: the average over all of the spatial axes.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, depth, height, width, channels) -> (batch, channels), or with keepdims all of x's
/// axes.
class GlobalAveragePooling3DLayer
    : public GlobalPoolingLayer<GlobalAveragePooling3DLayer, Pooling::average, 3> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

using GlobalAveragePooling3D = Ref<GlobalAveragePooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalAveragePooling3DLayer, layers::GlobalPoolingConfig>;
}  // namespace cornu
