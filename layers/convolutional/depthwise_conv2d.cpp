// Convolution of each channel of images apart.
#include "depthwise_conv2d.h"

namespace cornu::layers {

void register_depthwise_conv2d(Catalog& c) {
  c.add<DepthwiseConv2DLayer>("keras.layers.DepthwiseConv2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::DepthwiseConv2DLayer,
                              cornu::layers::DepthwiseConv2DConfig>;
template class cornu::layers::DepthwiseConvLayer<cornu::layers::DepthwiseConv2DLayer, 2>;
