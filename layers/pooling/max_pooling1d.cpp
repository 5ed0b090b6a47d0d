// The maximum of windows.
#include "max_pooling1d.h"

namespace cornu::layers {

void register_max_pooling1d(Catalog& c) { c.add<MaxPooling1DLayer>("keras.layers.MaxPooling1D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MaxPooling1DLayer, cornu::layers::MaxPooling1DConfig>;
