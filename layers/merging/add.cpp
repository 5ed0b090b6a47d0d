// The sum of tensors.
#include "add.h"

#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor AddLayer::merge(const std::vector<Tensor>& inputs) {
  Tensor sum = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i) sum = sum + inputs[i];
  return sum;
}

Tensor add(const Nest& inputs, MergeConfig options) { return Add(std::move(options))(inputs); }

void register_add(Catalog& c) { c.add<AddLayer>("keras.layers.Add"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AddLayer, cornu::layers::MergeConfig>;
