// Zeros around sequences, images and volumes.
#include "zero_padding.h"

namespace cornu::layers {

ZeroPadding1DLayer::ZeroPadding1DLayer(ZeroPadding1DConfig c) : LayerOf(std::move(c)) {
  const Ends ends(config.padding[0], config.padding[1]);
  check_margins("padding", {&ends, 1});
  channels_first(config.data_format);
}

Tensor ZeroPadding1DLayer::call(const Tensor& x, const Call&) {
  const Ends ends(config.padding[0], config.padding[1]);
  return pad_spatial(x, {&ends, 1}, channels_first(config.data_format));
}

ZeroPadding2DLayer::ZeroPadding2DLayer(ZeroPadding2DConfig c) : LayerOf(std::move(c)) {
  check_margins("padding", config.padding.axes);
  channels_first(config.data_format);
}

Tensor ZeroPadding2DLayer::call(const Tensor& x, const Call&) {
  return pad_spatial(x, config.padding.axes, channels_first(config.data_format));
}

ZeroPadding3DLayer::ZeroPadding3DLayer(ZeroPadding3DConfig c) : LayerOf(std::move(c)) {
  check_margins("padding", config.padding.axes);
  channels_first(config.data_format);
}

Tensor ZeroPadding3DLayer::call(const Tensor& x, const Call&) {
  return pad_spatial(x, config.padding.axes, channels_first(config.data_format));
}

void register_zero_padding(Catalog& c) {
  c.add<ZeroPadding1DLayer>("keras.layers.ZeroPadding1D");
  c.add<ZeroPadding2DLayer>("keras.layers.ZeroPadding2D");
  c.add<ZeroPadding3DLayer>("keras.layers.ZeroPadding3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ZeroPadding1DLayer,
                              cornu::layers::ZeroPadding1DConfig>;
template class cornu::LayerOf<cornu::layers::ZeroPadding2DLayer,
                              cornu::layers::ZeroPadding2DConfig>;
template class cornu::LayerOf<cornu::layers::ZeroPadding3DLayer,
                              cornu::layers::ZeroPadding3DConfig>;
