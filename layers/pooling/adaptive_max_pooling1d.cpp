// The maximum of as many windows as are wanted.
#include "adaptive_max_pooling1d.h"

namespace cornu::layers {

void register_adaptive_max_pooling1d(Catalog& c) {
  c.add<AdaptiveMaxPooling1DLayer>("keras.layers.AdaptiveMaxPooling1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveMaxPooling1DLayer,
                              cornu::layers::AdaptivePoolingConfig<1>>;
