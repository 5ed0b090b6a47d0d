// A convolutional long short-term memory over 1 spatial axis.
#include "conv_lstm1d.h"

namespace cornu::layers {

void register_conv_lstm1d(Catalog& c) { c.add<ConvLSTM1DLayer>("keras.layers.ConvLSTM1D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ConvLSTM1DLayer, cornu::layers::ConvLSTM1DConfig>;
