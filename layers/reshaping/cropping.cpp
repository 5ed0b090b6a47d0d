// Sequences, images and volumes without their borders.
#include "cropping.h"

namespace cornu::layers {

Cropping1DLayer::Cropping1DLayer(Cropping1DConfig c) : LayerOf(std::move(c)) {
  const Ends ends(config.cropping[0], config.cropping[1]);
  check_margins("cropping", {&ends, 1});
}

Tensor Cropping1DLayer::call(const Tensor& x, const Call&) {
  const Ends ends(config.cropping[0], config.cropping[1]);
  return crop_spatial(x, {&ends, 1}, false);
}

Cropping2DLayer::Cropping2DLayer(Cropping2DConfig c) : LayerOf(std::move(c)) {
  check_margins("cropping", config.cropping.axes);
  channels_first(config.data_format);
}

Tensor Cropping2DLayer::call(const Tensor& x, const Call&) {
  return crop_spatial(x, config.cropping.axes, channels_first(config.data_format));
}

Cropping3DLayer::Cropping3DLayer(Cropping3DConfig c) : LayerOf(std::move(c)) {
  check_margins("cropping", config.cropping.axes);
  channels_first(config.data_format);
}

Tensor Cropping3DLayer::call(const Tensor& x, const Call&) {
  return crop_spatial(x, config.cropping.axes, channels_first(config.data_format));
}

void register_cropping(Catalog& c) {
  c.add<Cropping1DLayer>("keras.layers.Cropping1D");
  c.add<Cropping2DLayer>("keras.layers.Cropping2D");
  c.add<Cropping3DLayer>("keras.layers.Cropping3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Cropping1DLayer, cornu::layers::Cropping1DConfig>;
template class cornu::LayerOf<cornu::layers::Cropping2DLayer, cornu::layers::Cropping2DConfig>;
template class cornu::LayerOf<cornu::layers::Cropping3DLayer, cornu::layers::Cropping3DConfig>;
