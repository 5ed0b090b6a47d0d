// UpSampling1D, UpSampling2D, UpSampling3D: larger sequences, images and volumes.
#pragma once
#include "margins.h"

namespace cornu::layers {

/// Options of UpSampling1D.
struct UpSampling1DConfig {
  int64_t size = 2;  ///< how often each step is repeated
  CORNU_LAYER_OPTIONS;
};

/// x (batch, steps, channels) -> (batch, steps * size, channels).
class UpSampling1DLayer : public LayerOf<UpSampling1DLayer, UpSampling1DConfig> {
 public:
  /// Throws ValueError unless the size is positive.
  explicit UpSampling1DLayer(UpSampling1DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using UpSampling1D = Ref<UpSampling1DLayer>;  ///< a shared UpSampling1DLayer, made from its options

/// Options of UpSampling2D.
struct UpSampling2DConfig {
  Dims<2> size = 2;  ///< factor by which height and width grow
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  /// "nearest", "bilinear", "bicubic", "lanczos3" or "lanczos5".
  std::string interpolation = "nearest";
  CORNU_LAYER_OPTIONS;
};

/// x (batch, height, width, channels) -> (batch, height * size[0], width * size[1], channels); for
/// the interpolations see ops::resize_axis. With data_format "channels_first" the channels follow
/// the batch. Throws ValueError for an unknown interpolation.
class UpSampling2DLayer : public LayerOf<UpSampling2DLayer, UpSampling2DConfig> {
 public:
  /// Throws ValueError for sizes that are not positive, and an unknown data_format or
  /// interpolation.
  explicit UpSampling2DLayer(UpSampling2DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using UpSampling2D = Ref<UpSampling2DLayer>;  ///< a shared UpSampling2DLayer, made from its options

/// Options of UpSampling3D.
struct UpSampling3DConfig {
  Dims<3> size = 2;  ///< factor by which each axis grows
  /// Position of the channel axis; or "channels_first".
  std::string data_format = config::image_data_format();
  CORNU_LAYER_OPTIONS;
};

/// x (batch, depth, height, width, channels) -> the same with each place of a spatial axis `size`
/// times in a row. With data_format "channels_first" the channels follow the batch.
class UpSampling3DLayer : public LayerOf<UpSampling3DLayer, UpSampling3DConfig> {
 public:
  /// Throws ValueError for sizes that are not positive, and an unknown data_format.
  explicit UpSampling3DLayer(UpSampling3DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
};

using UpSampling3D = Ref<UpSampling3DLayer>;  ///< a shared UpSampling3DLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::UpSampling1DLayer, layers::UpSampling1DConfig>;
extern template class LayerOf<layers::UpSampling2DLayer, layers::UpSampling2DConfig>;
extern template class LayerOf<layers::UpSampling3DLayer, layers::UpSampling3DConfig>;
}  // namespace cornu
