// Transposed convolution over volumes.
#include "conv3d_transpose.h"

namespace cornu::layers {

void register_conv3d_transpose(Catalog& c) {
  c.add<Conv3DTransposeLayer>("keras.layers.Conv3DTranspose");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv3DTransposeLayer,
                              cornu::layers::Conv3DTransposeConfig>;
template class cornu::layers::ConvTransposeLayer<cornu::layers::Conv3DTransposeLayer, 3>;
