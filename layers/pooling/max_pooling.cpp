// The maximum of each window.
#include "max_pooling.h"

namespace cornu::layers {

void register_max_pooling(Catalog& c) {
  c.add<MaxPooling1DLayer>("keras.layers.MaxPooling1D");
  c.add<MaxPooling2DLayer>("keras.layers.MaxPooling2D");
  c.add<MaxPooling3DLayer>("keras.layers.MaxPooling3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MaxPooling1DLayer, cornu::layers::MaxPooling1DConfig>;
template class cornu::LayerOf<cornu::layers::MaxPooling2DLayer, cornu::layers::MaxPooling2DConfig>;
template class cornu::LayerOf<cornu::layers::MaxPooling3DLayer, cornu::layers::MaxPooling3DConfig>;
