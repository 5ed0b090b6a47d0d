// A convolutional long short-term memory over 2 spatial axes.
#include "conv_lstm2d.h"

namespace cornu::layers {

void register_conv_lstm2d(Catalog& c) { c.add<ConvLSTM2DLayer>("keras.layers.ConvLSTM2D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ConvLSTM2DLayer, cornu::layers::ConvLSTM2DConfig>;
