// Convolution over sequences, images and volumes.
#include "conv.h"

namespace cornu::layers {

void register_conv(Catalog& c) {
  c.add<Conv1DLayer>("keras.layers.Conv1D");
  c.add<Conv2DLayer>("keras.layers.Conv2D");
  c.add<Conv3DLayer>("keras.layers.Conv3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv1DLayer, cornu::layers::Conv1DConfig>;
template class cornu::layers::ConvLayer<cornu::layers::Conv1DLayer, 1>;
template class cornu::LayerOf<cornu::layers::Conv2DLayer, cornu::layers::Conv2DConfig>;
template class cornu::layers::ConvLayer<cornu::layers::Conv2DLayer, 2>;
template class cornu::LayerOf<cornu::layers::Conv3DLayer, cornu::layers::Conv3DConfig>;
template class cornu::layers::ConvLayer<cornu::layers::Conv3DLayer, 3>;
