// Zeros around sequences.
#include "zero_padding1d.h"

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

void register_zero_padding1d(Catalog& c) {
  c.add<ZeroPadding1DLayer>("keras.layers.ZeroPadding1D");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ZeroPadding1DLayer,
                              cornu::layers::ZeroPadding1DConfig>;
