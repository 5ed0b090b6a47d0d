// ZeroPadding2D: zeros around images.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct ZeroPadding2DConfig {
  Margins<2> padding = 1;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, height, width, channels) -> the same with `padding` more places at the ends of the
/// spatial axes, which are 0. With data_format "channels_first" the channels stand behind the
/// batch.
class ZeroPadding2DLayer : public LayerOf<ZeroPadding2DLayer, ZeroPadding2DConfig> {
 public:
  explicit ZeroPadding2DLayer(ZeroPadding2DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using ZeroPadding2D = Ref<ZeroPadding2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ZeroPadding2DLayer, layers::ZeroPadding2DConfig>;
}
