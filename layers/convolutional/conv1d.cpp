// Convolution over a sequence.
#include "conv1d.h"

namespace cornu::layers {

void register_conv1d(Catalog& c) { c.add<Conv1DLayer>("keras.layers.Conv1D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Conv1DLayer, cornu::layers::Conv1DConfig>;
template class cornu::layers::ConvLayer<cornu::layers::Conv1DLayer, 1>;
