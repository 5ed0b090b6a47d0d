// The mean of each window.
#include "average_pooling.h"

namespace cornu::layers {

void register_average_pooling(Catalog& c) {
  c.add<AveragePooling1DLayer>("keras.layers.AveragePooling1D");
  c.add<AveragePooling2DLayer>("keras.layers.AveragePooling2D");
  c.add<AveragePooling3DLayer>("keras.layers.AveragePooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AveragePooling1DLayer,
                              cornu::layers::AveragePooling1DConfig>;
template class cornu::LayerOf<cornu::layers::AveragePooling2DLayer,
                              cornu::layers::AveragePooling2DConfig>;
template class cornu::LayerOf<cornu::layers::AveragePooling3DLayer,
                              cornu::layers::AveragePooling3DConfig>;
