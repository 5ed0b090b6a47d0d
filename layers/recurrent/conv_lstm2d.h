// ConvLSTM2D: a convolutional long short-term memory over sequences with 2 spatial axes.
#pragma once
#include "conv_lstm_common.h"

namespace cornu::layers {

using ConvLSTM2DConfig = ConvLSTMConfig<2>;

class ConvLSTM2DLayer : public ConvLSTMLayer<ConvLSTM2DLayer, 2> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;
};

using ConvLSTM2D = Ref<ConvLSTM2DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConvLSTM2DLayer, layers::ConvLSTM2DConfig>;
}
