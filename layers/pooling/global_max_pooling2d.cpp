// The maximum over all of the spatial axes.
#include "global_max_pooling2d.h"

namespace cornu::layers {

void register_global_max_pooling2d(Catalog& c) {
  c.add<GlobalMaxPooling2DLayer>("keras.layers.GlobalMaxPooling2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GlobalMaxPooling2DLayer,
                              cornu::layers::GlobalPoolingConfig>;
