// Whole feature maps set to zero, over 2 spatial axes.
#include "spatial_dropout2d.h"

namespace cornu::layers {

void register_spatial_dropout2d(Catalog& c) {
  c.add<SpatialDropout2DLayer>("keras.layers.SpatialDropout2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SpatialDropout2DLayer,
                              cornu::layers::SpatialDropout2DConfig>;
