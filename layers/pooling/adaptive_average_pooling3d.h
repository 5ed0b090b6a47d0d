// AdaptiveAveragePooling3D: the average of as many windows as are wanted.
#pragma once
#include "pooling_common.h"

namespace cornu::layers {

/// x (batch, depth, height, width, channels) -> (batch, output_size..., channels); see
/// AdaptivePoolingLayer.
class AdaptiveAveragePooling3DLayer
    : public AdaptivePoolingLayer<AdaptiveAveragePooling3DLayer, Pooling::average, 3> {
 public:
  using AdaptivePoolingLayer::AdaptivePoolingLayer;
};

using AdaptiveAveragePooling3D = Ref<AdaptiveAveragePooling3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdaptiveAveragePooling3DLayer,
                              layers::AdaptivePoolingConfig<3>>;
}  // namespace cornu
