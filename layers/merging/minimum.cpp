// The smallest of tensors, element by element.
#include "minimum.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor MinimumLayer::merge(const std::vector<Tensor>& inputs) {
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
    result = ops::minimum(result, x);
  }
  return result;
}

Tensor minimum(const Nest& inputs, MergeConfig options) {
  return Minimum(std::move(options))(inputs);
}

void register_minimum(Catalog& c) { c.add<MinimumLayer>("keras.layers.Minimum"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MinimumLayer, cornu::layers::MergeConfig>;
