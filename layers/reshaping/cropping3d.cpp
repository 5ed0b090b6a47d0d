// Volumes without their borders.
#include "cropping3d.h"

namespace cornu::layers {

Cropping3DLayer::Cropping3DLayer(Cropping3DConfig c) : LayerOf(std::move(c)) {
  check_margins("cropping", config.cropping.axes);
  channels_first(config.data_format);
}

Tensor Cropping3DLayer::call(const Tensor& x, const Call&) {
  return crop_spatial(x, config.cropping.axes, channels_first(config.data_format));
}

void register_cropping3d(Catalog& c) { c.add<Cropping3DLayer>("keras.layers.Cropping3D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Cropping3DLayer, cornu::layers::Cropping3DConfig>;
