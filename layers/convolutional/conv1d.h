// Conv1D: convolution over a sequence.
#pragma once
#include "conv_common.h"

namespace cornu::layers {

using Conv1DConfig = ConvConfig<1>;

/// x (batch, steps, channels) -> (batch, new steps, filters); see ConvLayer.
class Conv1DLayer : public ConvLayer<Conv1DLayer, 1> {
 public:
  using ConvLayer::ConvLayer;
};

using Conv1D = Ref<Conv1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::Conv1DLayer, layers::Conv1DConfig>;
extern template class layers::ConvLayer<layers::Conv1DLayer, 1>;
}  // namespace cornu
