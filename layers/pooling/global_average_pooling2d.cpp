// The average over all of the spatial axes.
#include "global_average_pooling2d.h"

namespace cornu::layers {

void register_global_average_pooling2d(Catalog& c) {
  c.add<GlobalAveragePooling2DLayer>("keras.layers.GlobalAveragePooling2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GlobalAveragePooling2DLayer,
                              cornu::layers::GlobalPoolingConfig>;
