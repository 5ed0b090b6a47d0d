// Convolution of each channel of images apart, then of the channels.
#include "separable_conv2d.h"

namespace cornu::layers {

void register_separable_conv2d(Catalog& c) {
  c.add<SeparableConv2DLayer>("keras.layers.SeparableConv2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SeparableConv2DLayer,
                              cornu::layers::SeparableConv2DConfig>;
template class cornu::layers::SeparableConvLayer<cornu::layers::SeparableConv2DLayer, 2>;
