// The average of windows.
#include "average_pooling1d.h"

namespace cornu::layers {

void register_average_pooling1d(Catalog& c) {
  c.add<AveragePooling1DLayer>("keras.layers.AveragePooling1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AveragePooling1DLayer,
                              cornu::layers::AveragePooling1DConfig>;
