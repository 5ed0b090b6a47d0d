// Cropping3D: volumes without their borders.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct Cropping3DConfig {
  Margins<3> cropping = 1;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, depth, height, width, channels) -> the same without `cropping` places at the ends of
/// the spatial axes. Throws ShapeError when nothing would be left. With data_format
/// "channels_first" the channels stand behind the batch.
class Cropping3DLayer : public LayerOf<Cropping3DLayer, Cropping3DConfig> {
 public:
  explicit Cropping3DLayer(Cropping3DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using Cropping3D = Ref<Cropping3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Cropping3DLayer, layers::Cropping3DConfig>;
}
