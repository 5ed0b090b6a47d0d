// Maxima, to an output of a given size.
#include "adaptive_max_pooling.h"

namespace cornu::layers {

void register_adaptive_max_pooling(Catalog& c) {
  c.add<AdaptiveMaxPooling1DLayer>("keras.layers.AdaptiveMaxPooling1D");
  c.add<AdaptiveMaxPooling2DLayer>("keras.layers.AdaptiveMaxPooling2D");
  c.add<AdaptiveMaxPooling3DLayer>("keras.layers.AdaptiveMaxPooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveMaxPooling1DLayer,
                              cornu::layers::AdaptivePoolingConfig<1>>;
template class cornu::LayerOf<cornu::layers::AdaptiveMaxPooling2DLayer,
                              cornu::layers::AdaptivePoolingConfig<2>>;
template class cornu::LayerOf<cornu::layers::AdaptiveMaxPooling3DLayer,
                              cornu::layers::AdaptivePoolingConfig<3>>;
