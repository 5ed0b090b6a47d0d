// GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalAveragePooling3D: the mean over all spatial
// axes.
#pragma once
#include "pooling_layer.h"

namespace cornu::layers {

/// x (batch, steps, channels) -> (batch, channels), or with keepdims (batch, 1, channels). Steps
/// that the mask excludes do not count.
class GlobalAveragePooling1DLayer
    : public LayerOf<GlobalAveragePooling1DLayer, GlobalPoolingConfig> {
 public:
  /// Checks nothing; a mask is used, not passed on.
  explicit GlobalAveragePooling1DLayer(GlobalPoolingConfig config);
  Tensor call(const Tensor& x, const Call& call) override;
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }
  bool uses_mask() const override { return true; }
  std::vector<std::string> positional_arguments() const override { return {"mask"}; }
};

/// A shared GlobalAveragePooling1DLayer, made from its options.
using GlobalAveragePooling1D = Ref<GlobalAveragePooling1DLayer>;
using GlobalAvgPool1D = GlobalAveragePooling1D;  ///< GlobalAveragePooling1D by its other name

/// x (batch, height, width, channels) -> (batch, channels), or with keepdims all of x's axes.
class GlobalAveragePooling2DLayer
    : public GlobalPoolingLayer<GlobalAveragePooling2DLayer, Pooling::average, 2> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

/// A shared GlobalAveragePooling2DLayer, made from its options.
using GlobalAveragePooling2D = Ref<GlobalAveragePooling2DLayer>;
using GlobalAvgPool2D = GlobalAveragePooling2D;  ///< GlobalAveragePooling2D by its other name

/// x (batch, depth, height, width, channels) -> (batch, channels), or with keepdims all of x's
/// axes.
class GlobalAveragePooling3DLayer
    : public GlobalPoolingLayer<GlobalAveragePooling3DLayer, Pooling::average, 3> {
 public:
  using GlobalPoolingLayer::GlobalPoolingLayer;
};

/// A shared GlobalAveragePooling3DLayer, made from its options.
using GlobalAveragePooling3D = Ref<GlobalAveragePooling3DLayer>;
using GlobalAvgPool3D = GlobalAveragePooling3D;  ///< GlobalAveragePooling3D by its other name

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GlobalAveragePooling1DLayer, layers::GlobalPoolingConfig>;
extern template class LayerOf<layers::GlobalAveragePooling2DLayer, layers::GlobalPoolingConfig>;
extern template class LayerOf<layers::GlobalAveragePooling3DLayer, layers::GlobalPoolingConfig>;
}  // namespace cornu
