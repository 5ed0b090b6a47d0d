// Sequences without their borders.
#include "cropping1d.h"

namespace cornu::layers {

Cropping1DLayer::Cropping1DLayer(Cropping1DConfig c) : LayerOf(std::move(c)) {
  const Ends ends(config.cropping[0], config.cropping[1]);
  check_margins("cropping", {&ends, 1});
}

Tensor Cropping1DLayer::call(const Tensor& x, const Call&) {
  const Ends ends(config.cropping[0], config.cropping[1]);
  return crop_spatial(x, {&ends, 1}, false);
}

void register_cropping1d(Catalog& c) { c.add<Cropping1DLayer>("keras.layers.Cropping1D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::Cropping1DLayer, cornu::layers::Cropping1DConfig>;
