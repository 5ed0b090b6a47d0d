// Transposed convolution over a sequence.
#include "conv1d_transpose.h"

namespace cornu::layers {

void register_conv1d_transpose(Catalog& c) {
  c.add<Conv1DTransposeLayer>("keras.layers.Conv1DTranspose");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv1DTransposeLayer,
                              cornu::layers::Conv1DTransposeConfig>;
template class cornu::layers::ConvTransposeLayer<cornu::layers::Conv1DTransposeLayer, 1>;
