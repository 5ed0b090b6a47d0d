// A vector as every step of a sequence.
#include "repeat_vector.h"

#include "../../framework/ops/numpy/manipulation.h"

namespace cornu::layers {

RepeatVectorLayer::RepeatVectorLayer(RepeatVectorConfig c) : LayerOf(std::move(c)) {
  check_positive("n", config.n);
}

Tensor RepeatVectorLayer::call(const Tensor& x, const Call&) {
  check_rank(x.shape(), 2, "(batch, features)");
  return ops::repeat(ops::expand_dims(x, {1}), *config.n, 1);
}

void register_repeat_vector(Catalog& c) { c.add<RepeatVectorLayer>("keras.layers.RepeatVector"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RepeatVectorLayer, cornu::layers::RepeatVectorConfig>;
