// The average of as many windows as are wanted.
#include "adaptive_average_pooling1d.h"

namespace cornu::layers {

void register_adaptive_average_pooling1d(Catalog& c) {
  c.add<AdaptiveAveragePooling1DLayer>("keras.layers.AdaptiveAveragePooling1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveAveragePooling1DLayer,
                              cornu::layers::AdaptivePoolingConfig<1>>;
