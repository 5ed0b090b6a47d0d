// AdaptiveMaxPooling3D: the maximum of as many windows as are wanted.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, depth, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveMaxPooling3DLayer
    : public AdaptivePoolingLayer<AdaptiveMaxPooling3DLayer, Pooling::maximum, 3> {
 public:
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

using AdaptiveMaxPooling3D = Ref<AdaptiveMaxPooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveMaxPooling3DLayer, layers::AdaptivePoolingConfig<3>>;
}  // namespace cornu
