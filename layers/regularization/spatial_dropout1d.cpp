// Whole feature maps set to zero, over 1 spatial axis.
#include "spatial_dropout1d.h"

namespace cornu::layers {

void register_spatial_dropout1d(Catalog& c) {
  c.add<SpatialDropout1DLayer>("keras.layers.SpatialDropout1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SpatialDropout1DLayer,
                              cornu::layers::SpatialDropout1DConfig>;
