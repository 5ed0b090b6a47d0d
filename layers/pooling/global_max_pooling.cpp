// The maximum over all spatial axes.
#include "global_max_pooling.h"

namespace cornu::layers {

void register_global_max_pooling(Catalog& c) {
  c.add<GlobalMaxPooling1DLayer>("keras.layers.GlobalMaxPooling1D");
  c.add<GlobalMaxPooling2DLayer>("keras.layers.GlobalMaxPooling2D");
  c.add<GlobalMaxPooling3DLayer>("keras.layers.GlobalMaxPooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GlobalMaxPooling1DLayer,
                              cornu::layers::GlobalPoolingConfig>;
template class cornu::LayerOf<cornu::layers::GlobalMaxPooling2DLayer,
                              cornu::layers::GlobalPoolingConfig>;
template class cornu::LayerOf<cornu::layers::GlobalMaxPooling3DLayer,
                              cornu::layers::GlobalPoolingConfig>;
