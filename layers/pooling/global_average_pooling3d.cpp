// The average over all of the spatial axes.
#include "global_average_pooling3d.h"

namespace cornu::layers {

void register_global_average_pooling3d(Catalog& c) {
  c.add<GlobalAveragePooling3DLayer>("keras.layers.GlobalAveragePooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GlobalAveragePooling3DLayer,
                              cornu::layers::GlobalPoolingConfig>;
