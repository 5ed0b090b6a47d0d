// The maximum over all of the spatial axes.
#include "global_max_pooling1d.h"

namespace cornu::layers {

void register_global_max_pooling1d(Catalog& c) {
  c.add<GlobalMaxPooling1DLayer>("keras.layers.GlobalMaxPooling1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GlobalMaxPooling1DLayer,
                              cornu::layers::GlobalPoolingConfig>;
