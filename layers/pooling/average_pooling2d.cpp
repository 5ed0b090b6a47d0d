// The average of windows.
#include "average_pooling2d.h"

namespace cornu::layers {

void register_average_pooling2d(Catalog& c) {
  c.add<AveragePooling2DLayer>("keras.layers.AveragePooling2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AveragePooling2DLayer,
                              cornu::layers::AveragePooling2DConfig>;
