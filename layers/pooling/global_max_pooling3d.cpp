// The maximum over all of the spatial axes.
#include "global_max_pooling3d.h"

namespace cornu::layers {

void register_global_max_pooling3d(Catalog& c) {
  c.add<GlobalMaxPooling3DLayer>("keras.layers.GlobalMaxPooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GlobalMaxPooling3DLayer,
                              cornu::layers::GlobalPoolingConfig>;
