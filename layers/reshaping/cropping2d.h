// Cropping2D: images without their borders.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct Cropping2DConfig {
  Margins<2> cropping = 0;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, height, width, channels) -> the same without `cropping` places at the ends of the
/// spatial axes. Throws ShapeError when nothing would be left. With data_format "channels_first"
/// the channels stand behind the batch.
class Cropping2DLayer : public LayerOf<Cropping2DLayer, Cropping2DConfig> {
 public:
  explicit Cropping2DLayer(Cropping2DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using Cropping2D = Ref<Cropping2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Cropping2DLayer, layers::Cropping2DConfig>;
}
