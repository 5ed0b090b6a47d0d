// Images without their borders.
#include "cropping2d.h"

namespace cornu::layers {

Cropping2DLayer::Cropping2DLayer(Cropping2DConfig c) : LayerOf(std::move(c)) {
  check_margins("cropping", config.cropping.axes);
  channels_first(config.data_format);
}

Tensor Cropping2DLayer::call(const Tensor& x, const Call&) {
  return crop_spatial(x, config.cropping.axes, channels_first(config.data_format));
}

void register_cropping2d(Catalog& c) { c.add<Cropping2DLayer>("keras.layers.Cropping2D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Cropping2DLayer, cornu::layers::Cropping2DConfig>;
