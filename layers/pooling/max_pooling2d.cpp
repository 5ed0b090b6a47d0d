// The maximum of windows.
#include "max_pooling2d.h"

namespace cornu::layers {

void register_max_pooling2d(Catalog& c) { c.add<MaxPooling2DLayer>("keras.layers.MaxPooling2D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MaxPooling2DLayer, cornu::layers::MaxPooling2DConfig>;
