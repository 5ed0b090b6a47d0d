// ZeroPadding3D: zeros around volumes.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct ZeroPadding3DConfig {
  Margins<3> padding = 1;
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, depth, height, width, channels) -> the same with `padding` more places at the ends of
/// the spatial axes, which are 0. With data_format "channels_first" the channels stand behind the
/// batch.
class ZeroPadding3DLayer : public LayerOf<ZeroPadding3DLayer, ZeroPadding3DConfig> {
 public:
  explicit ZeroPadding3DLayer(ZeroPadding3DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using ZeroPadding3D = Ref<ZeroPadding3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ZeroPadding3DLayer, layers::ZeroPadding3DConfig>;
}
