// GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalMaxPooling3D: the maximum over all spatial axes.
#pragma once
#include "pooling_layer.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, channels), or with keepdims all of x's axes.
class GlobalMaxPooling1DLayer
    : public GlobalPoolingLayer<GlobalMaxPooling1DLayer, Pooling::maximum, 1> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

/// A shared GlobalMaxPooling1DLayer, made from its options.
using GlobalMaxPooling1D = Ref<GlobalMaxPooling1DLayer>;
using GlobalMaxPool1D = GlobalMaxPooling1D;  ///< GlobalMaxPooling1D by its other name

/// x (batch, height, width, channels) -> (batch, channels), or with keepdims all of x's axes.
class GlobalMaxPooling2DLayer
    : public GlobalPoolingLayer<GlobalMaxPooling2DLayer, Pooling::maximum, 2> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

/// A shared GlobalMaxPooling2DLayer, made from its options.
using GlobalMaxPooling2D = Ref<GlobalMaxPooling2DLayer>;
using GlobalMaxPool2D = GlobalMaxPooling2D;  ///< GlobalMaxPooling2D by its other name

/// x (batch, depth, height, width, channels) -> (batch, channels), or with keepdims all of x's
/// axes.
class GlobalMaxPooling3DLayer
    : public GlobalPoolingLayer<GlobalMaxPooling3DLayer, Pooling::maximum, 3> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

/// A shared GlobalMaxPooling3DLayer, made from its options.
using GlobalMaxPooling3D = Ref<GlobalMaxPooling3DLayer>;
using GlobalMaxPool3D = GlobalMaxPooling3D;  ///< GlobalMaxPooling3D by its other name

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalMaxPooling1DLayer, layers::GlobalPoolingConfig>;
extern template class LayerOf<layers::GlobalMaxPooling2DLayer, layers::GlobalPoolingConfig>;
extern template class LayerOf<layers::GlobalMaxPooling3DLayer, layers::GlobalPoolingConfig>;
}  // namespace cornu
