// A convolutional long short-term memory over 3 spatial axes.
#include "conv_lstm3d.h"

namespace cornu::layers {

void register_conv_lstm3d(Catalog& c) { c.add<ConvLSTM3DLayer>("keras.layers.ConvLSTM3D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ConvLSTM3DLayer, cornu::layers::ConvLSTM3DConfig>;
