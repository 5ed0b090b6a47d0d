// Means, to an output of a given size.
#include "adaptive_average_pooling.h"

namespace cornu::layers {

void register_adaptive_average_pooling(Catalog& c) {
  c.add<AdaptiveAveragePooling1DLayer>("keras.layers.AdaptiveAveragePooling1D");
  c.add<AdaptiveAveragePooling2DLayer>("keras.layers.AdaptiveAveragePooling2D");
  c.add<AdaptiveAveragePooling3DLayer>("keras.layers.AdaptiveAveragePooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdaptiveAveragePooling1DLayer,
                              cornu::layers::AdaptivePoolingConfig<1>>;
template class cornu::LayerOf<cornu::layers::AdaptiveAveragePooling2DLayer,
                              cornu::layers::AdaptivePoolingConfig<2>>;
template class cornu::LayerOf<cornu::layers::AdaptiveAveragePooling3DLayer,
                              cornu::layers::AdaptivePoolingConfig<3>>;
