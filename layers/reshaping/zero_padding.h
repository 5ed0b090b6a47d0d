// ZeroPadding1D, ZeroPadding2D, ZeroPadding3D: zeros around sequences, images and volumes.
#pragma once
#include "margins.h"

namespace cornu::layers {

/// Options of ZeroPadding1D.
struct ZeroPadding1DConfig {
  Dims<2> padding = 1;  ///< steps to add at the beginning and at the end
  /// Position of the channel axis; or "channels_first".
  DataFormat data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, channels) -> the same with `padding` more places at the ends of the spatial
/// axes, which are 0. With data_format "channels_first" the channels follow the batch.
class ZeroPadding1DLayer : public LayerOf<ZeroPadding1DLayer, ZeroPadding1DConfig> {
 public:
  /// Throws ValueError for negative numbers and an unknown data_format.
  explicit ZeroPadding1DLayer(ZeroPadding1DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

/// A shared ZeroPadding1DLayer, made from its options.
using ZeroPadding1D = Ref<ZeroPadding1DLayer>;

/// Options of ZeroPadding2D.
struct ZeroPadding2DConfig {
  Margins<2> padding = 1;  ///< rows and columns to add: {{top, bottom}, {left, right}}
  /// Position of the channel axis; or "channels_first".
  DataFormat data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, height, width, channels) -> the same with `padding` more places at the ends of the
/// spatial axes, which are 0. With data_format "channels_first" the channels follow the
/// batch.
class ZeroPadding2DLayer : public LayerOf<ZeroPadding2DLayer, ZeroPadding2DConfig> {
 public:
  /// Throws ValueError for negative numbers and an unknown data_format.
  explicit ZeroPadding2DLayer(ZeroPadding2DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

/// A shared ZeroPadding2DLayer, made from its options.
using ZeroPadding2D = Ref<ZeroPadding2DLayer>;

/// Options of ZeroPadding3D.
struct ZeroPadding3DConfig {
  Margins<3> padding = 1;  ///< positions to add at the beginning and at the end of each axis
  /// Position of the channel axis; or "channels_first".
  DataFormat data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, depth, height, width, channels) -> the same with `padding` more places at the ends of
/// the spatial axes, which are 0. With data_format "channels_first" the channels follow the
/// batch.
class ZeroPadding3DLayer : public LayerOf<ZeroPadding3DLayer, ZeroPadding3DConfig> {
 public:
  /// Throws ValueError for negative numbers and an unknown data_format.
  explicit ZeroPadding3DLayer(ZeroPadding3DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

/// A shared ZeroPadding3DLayer, made from its options.
using ZeroPadding3D = Ref<ZeroPadding3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ZeroPadding1DLayer, layers::ZeroPadding1DConfig>;
extern template class LayerOf<layers::ZeroPadding2DLayer, layers::ZeroPadding2DConfig>;
extern template class LayerOf<layers::ZeroPadding3DLayer, layers::ZeroPadding3DConfig>;
}  // namespace cornu
