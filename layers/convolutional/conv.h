// Conv1D, Conv2D, Conv3D: convolution over sequences, images and volumes.
#pragma once
#include "conv_layer.h"

namespace cornu::layers {

using Conv1DConfig = ConvConfig<1>;  ///< options of Conv1D, as in Keras

/// x (batch, steps, channels) -> (batch, new steps, filters); see ConvLayer.
class Conv1DLayer : public ConvLayer<Conv1DLayer, 1> {
 public:
  using ConvLayer::ConvLayer;  ///< from the options; see ConvLayer
};

using Conv1D = Ref<Conv1DLayer>;  ///< a shared Conv1DLayer, made from its options
using Convolution1D = Conv1D;     ///< Conv1D by its other name

using Conv2DConfig = ConvConfig<2>;  ///< options of Conv2D, as in Keras

/// x (batch, height, width, channels) -> (batch, new height, new width, filters); see ConvLayer.
class Conv2DLayer : public ConvLayer<Conv2DLayer, 2> {
 public:
  using ConvLayer::ConvLayer;  ///< from the options; see ConvLayer
};

using Conv2D = Ref<Conv2DLayer>;  ///< a shared Conv2DLayer, made from its options
using Convolution2D = Conv2D;     ///< Conv2D by its other name

using Conv3DConfig = ConvConfig<3>;  ///< options of Conv3D, as in Keras

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., filters); see ConvLayer.
class Conv3DLayer : public ConvLayer<Conv3DLayer, 3> {
 public:
  using ConvLayer::ConvLayer;  ///< from the options; see ConvLayer
};

using Conv3D = Ref<Conv3DLayer>;  ///< a shared Conv3DLayer, made from its options
using Convolution3D = Conv3D;     ///< Conv3D by its other name

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv1DLayer, layers::Conv1DConfig>;
extern template class layers::ConvLayer<layers::Conv1DLayer, 1>;
extern template class LayerOf<layers::Conv2DLayer, layers::Conv2DConfig>;
extern template class layers::ConvLayer<layers::Conv2DLayer, 2>;
extern template class LayerOf<layers::Conv3DLayer, layers::Conv3DConfig>;
extern template class layers::ConvLayer<layers::Conv3DLayer, 3>;
}  // namespace cornu
