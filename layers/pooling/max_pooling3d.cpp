// The maximum of windows.
#include "max_pooling3d.h"

namespace cornu::layers {

void register_max_pooling3d(Catalog& c) { c.add<MaxPooling3DLayer>("keras.layers.MaxPooling3D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MaxPooling3DLayer, cornu::layers::MaxPooling3DConfig>;
