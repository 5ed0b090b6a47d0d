// ConvLSTM3D: a convolutional long short-term memory over sequences with 3 spatial axes.
#pragma once
#include "conv_lstm_common.h"

namespace cornu::layers {

using ConvLSTM3DConfig = ConvLSTMConfig<3>;

class ConvLSTM3DLayer : public ConvLSTMLayer<ConvLSTM3DLayer, 3> {
 public:
  using ConvLSTMLayer::ConvLSTMLayer;
};

using ConvLSTM3D = Ref<ConvLSTM3DLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConvLSTM3DLayer, layers::ConvLSTM3DConfig>;
}
