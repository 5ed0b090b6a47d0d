// Each sample as one vector.
#include "flatten.h"

#include "../../framework/ops/numpy/manipulation.h"

namespace cornu::layers {

Tensor FlattenLayer::call(const Tensor& x, const Call&) {
  check_min_rank(x.shape(), 1);
  Tensor y = x;
  if (channels_first(config.data_format) && x.rank() > 2) {
    std::vector<int64_t> order = {0};
    for (int i = 2; i < x.rank(); ++i) order.push_back(i);
    order.push_back(1);
    y = ops::transpose(x, order);
  }
  return ops::reshape(y, {x.shape()[0], x.shape().slice(1).numel()});
}

void register_flatten(Catalog& c) { c.add<FlattenLayer>("keras.layers.Flatten"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::FlattenLayer, cornu::layers::FlattenConfig>;
