// Convolution of each channel alone, then of size 1 across the channels.
#include "separable_conv.h"

namespace cornu::layers {

void register_separable_conv(Catalog& c) {
  c.add<SeparableConv1DLayer>("keras.layers.SeparableConv1D");
  c.add<SeparableConv2DLayer>("keras.layers.SeparableConv2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SeparableConv1DLayer,
                              cornu::layers::SeparableConv1DConfig>;
template class cornu::layers::SeparableConvLayer<cornu::layers::SeparableConv1DLayer, 1>;
template class cornu::LayerOf<cornu::layers::SeparableConv2DLayer,
                              cornu::layers::SeparableConv2DConfig>;
template class cornu::layers::SeparableConvLayer<cornu::layers::SeparableConv2DLayer, 2>;
