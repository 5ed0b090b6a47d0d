// The average of as many windows as are wanted.
#include "adaptive_average_pooling3d.h"

namespace cornu::layers {

void register_adaptive_average_pooling3d(Catalog& c) {
  c.add<AdaptiveAveragePooling3DLayer>("keras.layers.AdaptiveAveragePooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveAveragePooling3DLayer,
                              cornu::layers::AdaptivePoolingConfig<3>>;
