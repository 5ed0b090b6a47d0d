// The maximum of as many windows as are wanted.
#include "adaptive_max_pooling2d.h"

namespace cornu::layers {

void register_adaptive_max_pooling2d(Catalog& c) {
  c.add<AdaptiveMaxPooling2DLayer>("keras.layers.AdaptiveMaxPooling2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveMaxPooling2DLayer,
                              cornu::layers::AdaptivePoolingConfig<2>>;
