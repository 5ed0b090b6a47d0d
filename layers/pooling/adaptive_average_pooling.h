// AdaptiveAveragePooling1D, AdaptiveAveragePooling2D, AdaptiveAveragePooling3D: means, to an output
// of a given size.
#pragma once
#include "pooling_layer.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, output_size..., channels); see AdaptivePoolingLayer.
class AdaptiveAveragePooling1DLayer
    : public AdaptivePoolingLayer<AdaptiveAveragePooling1DLayer, Pooling::average, 1> {
 public:
  /// From the options, as AdaptivePoolingLayer says.
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

/// A shared AdaptiveAveragePooling1DLayer, made from its options.
using AdaptiveAveragePooling1D = Ref<AdaptiveAveragePooling1DLayer>;

/// x (batch, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveAveragePooling2DLayer
    : public AdaptivePoolingLayer<AdaptiveAveragePooling2DLayer, Pooling::average, 2> {
 public:
  /// From the options, as AdaptivePoolingLayer says.
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

/// A shared AdaptiveAveragePooling2DLayer, made from its options.
using AdaptiveAveragePooling2D = Ref<AdaptiveAveragePooling2DLayer>;

/// x (batch, depth, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveAveragePooling3DLayer
    : public AdaptivePoolingLayer<AdaptiveAveragePooling3DLayer, Pooling::average, 3> {
 public:
  /// From the options, as AdaptivePoolingLayer says.
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

/// A shared AdaptiveAveragePooling3DLayer, made from its options.
using AdaptiveAveragePooling3D = Ref<AdaptiveAveragePooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveAveragePooling1DLayer,
                              layers::AdaptivePoolingConfig<1>>;
extern template class LayerOf<layers::AdaptiveAveragePooling2DLayer,
                              layers::AdaptivePoolingConfig<2>>;
extern template class LayerOf<layers::AdaptiveAveragePooling3DLayer,
                              layers::AdaptivePoolingConfig<3>>;
}  // namespace cornu
