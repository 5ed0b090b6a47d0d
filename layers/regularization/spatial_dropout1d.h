// SpatialDropout1D: drops whole feature maps while training.
#pragma once
#include "spatial_dropout_common.h"

namespace cornu::layers {

struct SpatialDropout1DConfig {
  Required<double> rate;  ///< share of the feature maps to drop, in [0, 1]
  std::optional<int64_t> seed = {};
  std::string name = "";
  std::optional<DTypePolicy> dtype = {};
};

/// While training, x (batch, steps, channels) with a share `rate` of its channels set to 0 at all
/// places and the others divided by 1 - rate; else x. Tompson et al.,
/// https://arxiv.org/abs/1411.4280.
class SpatialDropout1DLayer
    : public SpatialDropoutLayer<SpatialDropout1DLayer, SpatialDropout1DConfig, 3> {
 public:
  using SpatialDropoutLayer::SpatialDropoutLayer;
};

using SpatialDropout1D = Ref<SpatialDropout1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SpatialDropout1DLayer, layers::SpatialDropout1DConfig>;
}
