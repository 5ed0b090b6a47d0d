// Convolutional long short-term memory over sequences of 1 to 3 spatial axes.
#include "conv_lstm.h"

namespace cornu::layers {

void register_conv_lstm(Catalog& c) {
  c.add<ConvLSTM1DLayer>("keras.layers.ConvLSTM1D");
  c.add<ConvLSTM2DLayer>("keras.layers.ConvLSTM2D");
  c.add<ConvLSTM3DLayer>("keras.layers.ConvLSTM3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ConvLSTM1DLayer, cornu::layers::ConvLSTM1DConfig>;
template class cornu::LayerOf<cornu::layers::ConvLSTM2DLayer, cornu::layers::ConvLSTM2DConfig>;
template class cornu::LayerOf<cornu::layers::ConvLSTM3DLayer, cornu::layers::ConvLSTM3DConfig>;
