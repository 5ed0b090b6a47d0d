// ConvLSTM1D: a convolutional long short-term memory over sequences with 1 spatial axis.
#pragma once
#include "conv_lstm_common.h"

namespace cornu::layers {

using ConvLSTM1DConfig = ConvLSTMConfig<1>;

class ConvLSTM1DLayer : public ConvLSTMLayer<ConvLSTM1DLayer, 1> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;
};

using ConvLSTM1D = Ref<ConvLSTM1DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConvLSTM1DLayer, layers::ConvLSTM1DConfig>;
}
