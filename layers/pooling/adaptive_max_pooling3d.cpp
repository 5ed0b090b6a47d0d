// The maximum of as many windows as are wanted.
#include "adaptive_max_pooling3d.h"

namespace cornu::layers {

void register_adaptive_max_pooling3d(Catalog& c) {
  c.add<AdaptiveMaxPooling3DLayer>("keras.layers.AdaptiveMaxPooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveMaxPooling3DLayer,
                              cornu::layers::AdaptivePoolingConfig<3>>;
