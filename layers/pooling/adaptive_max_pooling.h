// AdaptiveMaxPooling1D, AdaptiveMaxPooling2D, AdaptiveMaxPooling3D: maxima, to an output of a given
// size.
#pragma once
#include "pooling_layer.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, output_size..., channels); see AdaptivePoolingLayer.
class AdaptiveMaxPooling1DLayer
    : public AdaptivePoolingLayer<AdaptiveMaxPooling1DLayer, Pooling::maximum, 1> {
 public:
  /// From the options, as AdaptivePoolingLayer says.
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

/// A shared AdaptiveMaxPooling1DLayer, made from its options.
using AdaptiveMaxPooling1D = Ref<AdaptiveMaxPooling1DLayer>;

/// x (batch, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveMaxPooling2DLayer
    : public AdaptivePoolingLayer<AdaptiveMaxPooling2DLayer, Pooling::maximum, 2> {
 public:
  /// From the options, as AdaptivePoolingLayer says.
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

/// A shared AdaptiveMaxPooling2DLayer, made from its options.
using AdaptiveMaxPooling2D = Ref<AdaptiveMaxPooling2DLayer>;

/// x (batch, depth, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveMaxPooling3DLayer
    : public AdaptivePoolingLayer<AdaptiveMaxPooling3DLayer, Pooling::maximum, 3> {
 public:
  /// From the options, as AdaptivePoolingLayer says.
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

/// A shared AdaptiveMaxPooling3DLayer, made from its options.
using AdaptiveMaxPooling3D = Ref<AdaptiveMaxPooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveMaxPooling1DLayer, layers::AdaptivePoolingConfig<1>>;
extern template class LayerOf<layers::AdaptiveMaxPooling2DLayer, layers::AdaptivePoolingConfig<2>>;
extern template class LayerOf<layers::AdaptiveMaxPooling3DLayer, layers::AdaptivePoolingConfig<3>>;
}  // namespace cornu
