// Convolution over images.
#include "conv2d.h"

namespace cornu::layers {

void register_conv2d(Catalog& c) { c.add<Conv2DLayer>("keras.layers.Conv2D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv2DLayer, cornu::layers::Conv2DConfig>;
template class cornu::layers::ConvLayer<cornu::layers::Conv2DLayer, 2>;
