// The average of as many windows as are wanted.
#include "adaptive_average_pooling2d.h"

namespace cornu::layers {

void register_adaptive_average_pooling2d(Catalog& c) {
  c.add<AdaptiveAveragePooling2DLayer>("keras.layers.AdaptiveAveragePooling2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveAveragePooling2DLayer,
                              cornu::layers::AdaptivePoolingConfig<2>>;
