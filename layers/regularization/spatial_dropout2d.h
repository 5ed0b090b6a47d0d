// SpatialDropout2D: drops whole feature maps while training.
#pragma once
#include "spatial_dropout_common.h"

namespace cornu::layers {

struct SpatialDropout2DConfig {
  Required<double> rate;  ///< share of the feature maps to drop, in [0, 1]
  std::string data_format = "channels_last";
  std::optional<int64_t> seed = {};
  std::string name = "";
  std::optional<DTypePolicy> dtype = {};
};

/// While training, x (batch, rows, columns, channels) with a share `rate` of its channels set to 0
/// at all places and the others divided by 1 - rate; else x. Tompson et al.,
/// https://arxiv.org/abs/1411.4280.
class SpatialDropout2DLayer
    : public SpatialDropoutLayer<SpatialDropout2DLayer, SpatialDropout2DConfig, 4> {
 public:
  using SpatialDropoutLayer::SpatialDropoutLayer;
};

using SpatialDropout2D = Ref<SpatialDropout2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SpatialDropout2DLayer, layers::SpatialDropout2DConfig>;
}
