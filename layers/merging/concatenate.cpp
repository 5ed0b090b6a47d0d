// Joins tensors along an axis.
#include "concatenate.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

ConcatenateLayer::ConcatenateLayer(ConcatenateConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
}

Nest ConcatenateLayer::call_many(const Nest& inputs, const Call&) {
  const std::vector<Tensor> list = merge_inputs(inputs, "Concatenate", 1);
  const Shape& first = list[0].shape();
  const int axis = normalize_axis(config.axis, first.rank(), "option 'axis'");
  for (const Tensor& t : list) {
    bool fits = t.rank() == first.rank();
    for (int i = 0; fits && i < first.rank(); ++i) fits = i == axis || t.shape()[i] == first[i];
    if (!fits)
      throw ShapeError(
          fmt::format("expected inputs that agree on all axes but axis {}, found shapes {} and {}.",
                      axis, first.str(), t.shape().str()));
  }
  return ops::concatenate(list, axis);
}

Tensor ConcatenateLayer::compute_mask(const Nest& inputs, const Tensor&) {
  return compute_masks(inputs, carried_masks(inputs))[0];
}

std::vector<Tensor> ConcatenateLayer::compute_masks(const Nest& inputs,
                                                    const std::vector<Tensor>& masks) {
  check_masks(inputs, masks, "Concatenate");
  const auto given = [](const Tensor& mask) { return static_cast<bool>(mask); };
  if (std::none_of(masks.begin(), masks.end(), given)) return {Tensor()};
  const std::vector<Tensor> list = inputs.flatten();
  std::vector<Tensor> wide;
  for (size_t i = 0; i < list.size(); ++i) {
    const Tensor mask = wide_mask(list[i], masks[i]);
    const Tensor all = ops::ones_like(list[i], DType::boolean);
    wide.push_back(mask ? ops::logical_and(mask, all) : all);
  }
  return {ops::any(ops::concatenate(wide, config.axis), -1)};
}

Tensor concatenate(const Nest& inputs, ConcatenateConfig options) {
  return Concatenate(std::move(options))(inputs);
}

void register_concatenate(Catalog& c) { c.add<ConcatenateLayer>("keras.layers.Concatenate"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ConcatenateLayer, cornu::layers::ConcatenateConfig>;
