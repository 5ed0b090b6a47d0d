// Each step of a sequence several times.
#include "up_sampling1d.h"

namespace cornu::layers {

UpSampling1DLayer::UpSampling1DLayer(UpSampling1DConfig c) : LayerOf(std::move(c)) {
  check_positive("size", config.size);
}

Tensor UpSampling1DLayer::call(const Tensor& x, const Call&) {
  return repeat_spatial(x, {config.size}, false);
}

void register_up_sampling1d(Catalog& c) { c.add<UpSampling1DLayer>("keras.layers.UpSampling1D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::UpSampling1DLayer, cornu::layers::UpSampling1DConfig>;
