// SpatialDropout3D: drops whole feature maps while training.
#pragma once
#include "spatial_dropout_common.h"

namespace cornu::layers {

struct SpatialDropout3DConfig {
  Required<double> rate;  ///< share of the feature maps to drop, in [0, 1]
  std::string data_format = "channels_last";
  std::optional<int64_t> seed = {};
  std::string name = "";
  std::optional<DTypePolicy> dtype = {};
};

/// While training, x (batch, depth, rows, columns, channels) with a share `rate` of its channels
/// set to 0 at all places and the others divided by 1 - rate; else x. Tompson et al.,
/// https://arxiv.org/abs/1411.4280.
class SpatialDropout3DLayer
    : public SpatialDropoutLayer<SpatialDropout3DLayer, SpatialDropout3DConfig, 5> {
 public:
  using SpatialDropoutLayer::SpatialDropoutLayer;
};

using SpatialDropout3D = Ref<SpatialDropout3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SpatialDropout3DLayer, layers::SpatialDropout3DConfig>;
}
