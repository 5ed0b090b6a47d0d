// Each sample under another shape.
#include "reshape.h"

#include <fmt/core.h>

#include "../../framework/ops/numpy/manipulation.h"

namespace cornu::layers {

Tensor ReshapeLayer::call(const Tensor& x, const Call&) {
  check_min_rank(x.shape(), 1);
  const int64_t size = x.shape().slice(1).numel();
  Shape target = config.target_shape;
  int64_t known = 1;
  int inferred = -1;
  for (int i = 0; i < target.rank(); ++i) {
    if (target[i] == Shape::unknown && inferred < 0)
      inferred = i;
    else
      known *= target[i];
  }
  if (inferred >= 0 && known > 0) target[inferred] = size / known;
  if (target.numel() != size)
    throw ShapeError(fmt::format(
        "a sample of input {} has {} elements, which target_shape {} cannot hold. At most one "
        "size may be -1, and the product of the others must divide {}.",
        x.shape().str(), size, config.target_shape->str(), size));
  return ops::reshape(x, concat({x.shape()[0]}, target));
}

Value::Dict ReshapeLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  // Keras writes an inferred size as -1; elsewhere unknown sizes are null.
  for (auto& [key, value] : dict)
    if (key == "target_shape") value = Value(config.target_shape->vec());
  return dict;
}

void register_reshape(Catalog& c) { c.add<ReshapeLayer>("keras.layers.Reshape"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ReshapeLayer, cornu::layers::ReshapeConfig>;
