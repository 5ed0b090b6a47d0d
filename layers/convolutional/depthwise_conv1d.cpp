// Convolution of each channel of a sequence apart.
#include "depthwise_conv1d.h"

namespace cornu::layers {

void register_depthwise_conv1d(Catalog& c) {
  c.add<DepthwiseConv1DLayer>("keras.layers.DepthwiseConv1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DepthwiseConv1DLayer,
                              cornu::layers::DepthwiseConv1DConfig>;
template class cornu::layers::DepthwiseConvLayer<cornu::layers::DepthwiseConv1DLayer, 1>;
