// Convolution of each channel of a sequence apart, then of the channels.
#include "separable_conv1d.h"

namespace cornu::layers {

void register_separable_conv1d(Catalog& c) {
  c.add<SeparableConv1DLayer>("keras.layers.SeparableConv1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SeparableConv1DLayer,
                              cornu::layers::SeparableConv1DConfig>;
template class cornu::layers::SeparableConvLayer<cornu::layers::SeparableConv1DLayer, 1>;
