// The difference of two tensors.
#include "subtract.h"

#include <fmt/core.h>

#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor SubtractLayer::merge(const std::vector<Tensor>& inputs) {
  if (inputs.size() != 2)
    throw ShapeError(
        fmt::format("Subtract takes a list of exactly 2 tensors, found {}.", inputs.size()));
  return inputs[0] - inputs[1];
}

Tensor subtract(const Nest& inputs, MergeConfig options) {
  return Subtract(std::move(options))(inputs);
}

void register_subtract(Catalog& c) { c.add<SubtractLayer>("keras.layers.Subtract"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SubtractLayer, cornu::layers::MergeConfig>;
