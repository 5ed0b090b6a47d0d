// MaxPooling1D, MaxPooling2D, MaxPooling3D: the maximum of each window.
#pragma once
#include "pooling_layer.h"

namespace cornu::layers {

/// Options of maximum pooling over `rank` spatial axes.
template <size_t rank>
struct MaxPoolingConfig {
  Dims<rank> pool_size = 2;       ///< size of the window along each axis
  Dims<rank> strides = {};        ///< step of the window along each axis; default: pool_size
  std::string padding = "valid";  ///< "valid" or "same"
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

using MaxPooling1DConfig = MaxPoolingConfig<1>;  ///< options for one spatial axis

/// x (batch, steps, channels) -> (batch, new steps, channels); see PoolingLayer.
class MaxPooling1DLayer
    : public PoolingLayer<MaxPooling1DLayer, MaxPooling1DConfig, Pooling::maximum> {
 public:
  using PoolingLayer::PoolingLayer;  ///< from the options, as PoolingLayer says
};

using MaxPooling1D = Ref<MaxPooling1DLayer>;  ///< a shared MaxPooling1DLayer, made from its options
using MaxPool1D = MaxPooling1D;               ///< MaxPooling1D by its other name

using MaxPooling2DConfig = MaxPoolingConfig<2>;  ///< options for two spatial axes

/// x (batch, height, width, channels) -> (batch, new height, new width, channels); see
/// PoolingLayer.
class MaxPooling2DLayer
    : public PoolingLayer<MaxPooling2DLayer, MaxPooling2DConfig, Pooling::maximum> {
 public:
  using PoolingLayer::PoolingLayer;  ///< from the options, as PoolingLayer says
};

using MaxPooling2D = Ref<MaxPooling2DLayer>;  ///< a shared MaxPooling2DLayer, made from its options
using MaxPool2D = MaxPooling2D;               ///< MaxPooling2D by its other name

using MaxPooling3DConfig = MaxPoolingConfig<3>;  ///< options for three spatial axes

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., channels); see PoolingLayer.
class MaxPooling3DLayer
    : public PoolingLayer<MaxPooling3DLayer, MaxPooling3DConfig, Pooling::maximum> {
 public:
  using PoolingLayer::PoolingLayer;  ///< from the options, as PoolingLayer says
};

using MaxPooling3D = Ref<MaxPooling3DLayer>;  ///< a shared MaxPooling3DLayer, made from its options
using MaxPool3D = MaxPooling3D;               ///< MaxPooling3D by its other name

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaxPooling1DLayer, layers::MaxPooling1DConfig>;
extern template class LayerOf<layers::MaxPooling2DLayer, layers::MaxPooling2DConfig>;
extern template class LayerOf<layers::MaxPooling3DLayer, layers::MaxPooling3DConfig>;
}  // namespace cornu
