// The product of tensors.
#include "multiply.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor MultiplyLayer::merge(const std::vector<Tensor>& inputs) {
  Tensor product, real;
  bool all_masked = true;
  for (const Tensor& x : inputs) {
    const Tensor mask = wide_mask(x);
    all_masked &= static_cast<bool>(mask);
    if (mask) real = real ? ops::logical_or(real, mask) : mask;
    const Tensor factor = mask ? ops::where(mask, x, Tensor(1)) : x;
    product = product ? product * factor : factor;
  }
  return all_masked ? ops::where(real, product, Tensor(0)) : product;
}

Tensor multiply(const Nest& inputs, MergeConfig options) {
  return Multiply(std::move(options))(inputs);
}

void register_multiply(Catalog& c) { c.add<MultiplyLayer>("keras.layers.Multiply"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MultiplyLayer, cornu::layers::MergeConfig>;
