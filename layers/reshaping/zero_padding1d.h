// ZeroPadding1D: zeros around sequences.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct ZeroPadding1DConfig {
  Dims<2> padding = 1;  ///< steps before and after
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, steps, channels) -> the same with `padding` more places at the ends of the spatial
/// axes, which are 0. With data_format "channels_first" the channels stand behind the batch.
class ZeroPadding1DLayer : public LayerOf<ZeroPadding1DLayer, ZeroPadding1DConfig> {
 public:
  explicit ZeroPadding1DLayer(ZeroPadding1DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using ZeroPadding1D = Ref<ZeroPadding1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ZeroPadding1DLayer, layers::ZeroPadding1DConfig>;
}
