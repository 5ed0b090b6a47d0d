// The average of windows.
#include "average_pooling3d.h"

namespace cornu::layers {

void register_average_pooling3d(Catalog& c) {
  c.add<AveragePooling3DLayer>("keras.layers.AveragePooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AveragePooling3DLayer,
                              cornu::layers::AveragePooling3DConfig>;
