// Zeros around volumes.
#include "zero_padding3d.h"

namespace cornu::layers {

ZeroPadding3DLayer::ZeroPadding3DLayer(ZeroPadding3DConfig c) : LayerOf(std::move(c)) {
  check_margins("padding", config.padding.axes);
  channels_first(config.data_format);
}

Tensor ZeroPadding3DLayer::call(const Tensor& x, const Call&) {
  return pad_spatial(x, config.padding.axes, channels_first(config.data_format));
}

void register_zero_padding3d(Catalog& c) {
  c.add<ZeroPadding3DLayer>("keras.layers.ZeroPadding3D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ZeroPadding3DLayer,
                              cornu::layers::ZeroPadding3DConfig>;
