// Transposed convolution over images.
#include "conv2d_transpose.h"

namespace cornu::layers {

void register_conv2d_transpose(Catalog& c) {
  c.add<Conv2DTransposeLayer>("keras.layers.Conv2DTranspose");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv2DTransposeLayer,
                              cornu::layers::Conv2DTransposeConfig>;
template class cornu::layers::ConvTransposeLayer<cornu::layers::Conv2DTransposeLayer, 2>;
