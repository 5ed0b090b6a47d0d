// The largest of tensors, element by element.
#include "maximum.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor MaximumLayer::merge(const std::vector<Tensor>& inputs) {
  Tensor result, real;
  for (Tensor x : inputs) {
    const Tensor mask = wide_mask(x);
    if (!result) {
      result = x;
      real = mask;
      continue;
    }
    if (mask) x = ops::where(mask, x, result);
    if (real) result = ops::where(real, result, x);
    real = mask && real ? ops::logical_or(real, mask) : Tensor();
    result = ops::maximum(result, x);
  }
  return result;
}

Tensor maximum(const Nest& inputs, MergeConfig options) {
  return Maximum(std::move(options))(inputs);
}

void register_maximum(Catalog& c) { c.add<MaximumLayer>("keras.layers.Maximum"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MaximumLayer, cornu::layers::MergeConfig>;
