// GlobalMaxPooling1D: the maximum over all of the spatial axes.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, channels), or with keepdims all of x's axes.
class GlobalMaxPooling1DLayer
    : public GlobalPoolingLayer<GlobalMaxPooling1DLayer, Pooling::maximum, 1> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

using GlobalMaxPooling1D = Ref<GlobalMaxPooling1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalMaxPooling1DLayer, layers::GlobalPoolingConfig>;
}
