// Each place of a volume several times.
#include "up_sampling3d.h"

namespace cornu::layers {

UpSampling3DLayer::UpSampling3DLayer(UpSampling3DConfig c) : LayerOf(std::move(c)) {
  check_positive("size", config.size.vec());
  channels_first(config.data_format);
}

Tensor UpSampling3DLayer::call(const Tensor& x, const Call&) {
  return repeat_spatial(x, config.size.vec(), channels_first(config.data_format));
}

void register_up_sampling3d(Catalog& c) { c.add<UpSampling3DLayer>("keras.layers.UpSampling3D"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::UpSampling3DLayer, cornu::layers::UpSampling3DConfig>;
