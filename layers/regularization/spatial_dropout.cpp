// Dropout of whole channels.
#include "spatial_dropout.h"

namespace cornu::layers {

void register_spatial_dropout(Catalog& c) {
  c.add<SpatialDropout1DLayer>("keras.layers.SpatialDropout1D");
  c.add<SpatialDropout2DLayer>("keras.layers.SpatialDropout2D");
  c.add<SpatialDropout3DLayer>("keras.layers.SpatialDropout3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SpatialDropout1DLayer,
                              cornu::layers::SpatialDropout1DConfig>;
template class cornu::LayerOf<cornu::layers::SpatialDropout2DLayer,
                              cornu::layers::SpatialDropout2DConfig>;
template class cornu::LayerOf<cornu::layers::SpatialDropout3DLayer,
                              cornu::layers::SpatialDropout3DConfig>;
