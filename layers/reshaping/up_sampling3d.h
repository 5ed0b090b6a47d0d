// UpSampling3D: each place of a volume several times.
#pragma once
#include "margins.h"

namespace cornu::layers {

struct UpSampling3DConfig {
  Dims<3> size = 2;  ///< by how much each axis grows
  std::string data_format = "channels_last";
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, depth, height, width, channels) -> the same with each place of a spatial axis `size`
/// times in a row. With data_format "channels_first" the channels stand behind the batch.
class UpSampling3DLayer : public LayerOf<UpSampling3DLayer, UpSampling3DConfig> {
 public:
  explicit UpSampling3DLayer(UpSampling3DConfig config);
  Tensor call(const Tensor& x, const Call&) override;
};

using UpSampling3D = Ref<UpSampling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::UpSampling3DLayer, layers::UpSampling3DConfig>;
}
