// Cropping1D, Cropping2D, Cropping3D: sequences, images and volumes without their borders.
#pragma once
#include "margins.h"

namespace cornu::layers {

/// Options of Cropping1D.
struct Cropping1DConfig {
  Dims<2> cropping = 1;  ///< steps to remove at the beginning and at the end
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, channels) -> the same without `cropping` places at the ends of the spatial
/// axes. Throws ShapeError when nothing would be left.
class Cropping1DLayer : public LayerOf<Cropping1DLayer, Cropping1DConfig> {
 public:
  /// Throws ValueError for negative numbers.
  explicit Cropping1DLayer(Cropping1DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using Cropping1D = Ref<Cropping1DLayer>;  ///< a shared Cropping1DLayer, made from its options

/// Options of Cropping2D.
struct Cropping2DConfig {
  Margins<2> cropping = 0;  ///< rows and columns to remove: {{top, bottom}, {left, right}}
  /// Position of the channel axis; or "channels_first".
  DataFormat data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, height, width, channels) -> the same without `cropping` places at the ends of the
/// spatial axes. Throws ShapeError when nothing would be left. With data_format "channels_first"
/// the channels follow the batch.
class Cropping2DLayer : public LayerOf<Cropping2DLayer, Cropping2DConfig> {
 public:
  /// Throws ValueError for negative numbers and an unknown data_format.
  explicit Cropping2DLayer(Cropping2DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using Cropping2D = Ref<Cropping2DLayer>;  ///< a shared Cropping2DLayer, made from its options

/// Options of Cropping3D.
struct Cropping3DConfig {
  Margins<3> cropping = 1;  ///< positions to remove at the beginning and at the end of each axis
  /// Position of the channel axis; or "channels_first".
  DataFormat data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, depth, height, width, channels) -> the same without `cropping` places at the ends of
/// the spatial axes. Throws ShapeError when nothing would be left. With data_format
/// "channels_first" the channels follow the batch.
class Cropping3DLayer : public LayerOf<Cropping3DLayer, Cropping3DConfig> {
 public:
  /// Throws ValueError for negative numbers and an unknown data_format.
  explicit Cropping3DLayer(Cropping3DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using Cropping3D = Ref<Cropping3DLayer>;  ///< a shared Cropping3DLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Cropping1DLayer, layers::Cropping1DConfig>;
extern template class LayerOf<layers::Cropping2DLayer, layers::Cropping2DConfig>;
extern template class LayerOf<layers::Cropping3DLayer, layers::Cropping3DConfig>;
}  // namespace cornu
