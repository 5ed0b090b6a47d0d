// Whole feature maps set to zero, over 3 spatial axes.
#include "spatial_dropout3d.h"

namespace cornu::layers {

void register_spatial_dropout3d(Catalog& c) {
  c.add<SpatialDropout3DLayer>("keras.layers.SpatialDropout3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SpatialDropout3DLayer,
                              cornu::layers::SpatialDropout3DConfig>;
