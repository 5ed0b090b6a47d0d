// AveragePooling1D, AveragePooling2D, AveragePooling3D: the mean of each window.
#pragma once
#include "pooling_layer.h"

namespace cornu::layers {

/// Options of average pooling over `rank` spatial axes.
template <size_t rank>
struct AveragePoolingConfig {
  Dims<rank> pool_size = {};      ///< size of the window along each axis; must be given
  Dims<rank> strides = {};        ///< step of the window along each axis; default: pool_size
  std::string padding = "valid";  ///< "valid" or "same", whose padding does not count in a mean
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

using AveragePooling1DConfig = AveragePoolingConfig<1>;  ///< options for one spatial axis

/// x (batch, steps, channels) -> (batch, new steps, channels); see PoolingLayer.
class AveragePooling1DLayer
    : public PoolingLayer<AveragePooling1DLayer, AveragePooling1DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;  ///< from the options, as PoolingLayer says
};

/// A shared AveragePooling1DLayer, made from its options.
using AveragePooling1D = Ref<AveragePooling1DLayer>;
using AvgPool1D = AveragePooling1D;  ///< AveragePooling1D by its other name

using AveragePooling2DConfig = AveragePoolingConfig<2>;  ///< options for two spatial axes

/// x (batch, height, width, channels) -> (batch, new height, new width, channels); see
/// PoolingLayer.
class AveragePooling2DLayer
    : public PoolingLayer<AveragePooling2DLayer, AveragePooling2DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;  ///< from the options, as PoolingLayer says
};

/// A shared AveragePooling2DLayer, made from its options.
using AveragePooling2D = Ref<AveragePooling2DLayer>;
using AvgPool2D = AveragePooling2D;  ///< AveragePooling2D by its other name

using AveragePooling3DConfig = AveragePoolingConfig<3>;  ///< options for three spatial axes

/// x (batch, depth, height, width, channels) -> (batch, new sizes..., channels); see PoolingLayer.
class AveragePooling3DLayer
    : public PoolingLayer<AveragePooling3DLayer, AveragePooling3DConfig, Pooling::average> {
 public:
  using PoolingLayer::PoolingLayer;  ///< from the options, as PoolingLayer says
};

/// A shared AveragePooling3DLayer, made from its options.
using AveragePooling3D = Ref<AveragePooling3DLayer>;
using AvgPool3D = AveragePooling3D;  ///< AveragePooling3D by its other name

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AveragePooling1DLayer, layers::AveragePooling1DConfig>;
extern template class LayerOf<layers::AveragePooling2DLayer, layers::AveragePooling2DConfig>;
extern template class LayerOf<layers::AveragePooling3DLayer, layers::AveragePooling3DConfig>;
}  // namespace cornu
