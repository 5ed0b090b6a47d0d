// UpSampling2D: larger images.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct UpSampling2DConfig {
  Dims<2> size = 2;  ///< by how much height and width grow
  std::string data_format = "channels_last";
  std::string interpolation = "nearest";  ///< or "bilinear", "bicubic", "lanczos3", "lanczos5"
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, height, width, channels) -> (batch, height * size[0], width * size[1], channels); for
/// the interpolations see ops::resize_axis. With data_format "channels_first" the channels stand
/// behind the batch.
class UpSampling2DLayer : public LayerOf<UpSampling2DLayer, UpSampling2DConfig> {
 public:
  explicit UpSampling2DLayer(UpSampling2DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using UpSampling2D = Ref<UpSampling2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::UpSampling2DLayer, layers::UpSampling2DConfig>;
}
