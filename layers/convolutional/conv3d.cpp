// Convolution over volumes.
#include "conv3d.h"

namespace cornu::layers {

void register_conv3d(Catalog& c) { c.add<Conv3DLayer>("keras.layers.Conv3D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv3DLayer, cornu::layers::Conv3DConfig>;
template class cornu::layers::ConvLayer<cornu::layers::Conv3DLayer, 3>;
