// Zeros around images.
#include "zero_padding2d.h"

namespace cornu::layers {

ZeroPadding2DLayer::ZeroPadding2DLayer(ZeroPadding2DConfig c) : LayerOf(std::move(c)) {
  check_margins("padding", config.padding.axes);
  channels_first(config.data_format);
}

Tensor ZeroPadding2DLayer::call(const Tensor& x, const Call&) {
  return pad_spatial(x, config.padding.axes, channels_first(config.data_format));
}

void register_zero_padding2d(Catalog& c) {
  c.add<ZeroPadding2DLayer>("keras.layers.ZeroPadding2D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ZeroPadding2DLayer,
                              cornu::layers::ZeroPadding2DConfig>;
