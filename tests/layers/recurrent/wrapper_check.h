// What the tests of layers around recurrent layers share.
#pragma once
#include <cornu/framework/ops/core.h>
#include <cornu/framework/saving/weights.h>

#include "../../support/layer_check.h"

namespace cornu::test {

/// Values in [-0.8, 0.8] that differ from place to place.
inline Tensor wave(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = 0.8f * static_cast<float>((static_cast<int>(i * 37) % 19) - 9) / 9.0f;
  return Tensor::from(values, shape);
}

/// A mask (batch 2, 3 steps) that excludes a step of each sequence.
inline Tensor padding() {
  return ops::cast(Tensor::from({1, 0, 1, 0, 1, 1}, {2, 3}), DType::boolean);
}

/// check_layer with layers inside that are new each time, so that they have the policy in force.
template <class Handle>
void check_new(const std::function<Handle()>& make, const LayerExpectation& expected) {
  check_layer([&]() -> std::shared_ptr<Layer> { return make().shared(); }, expected);
}

/// The paths of a layer's weights in files.
inline std::vector<std::string> paths(Layer& layer) {
  std::vector<std::string> result;
  for (const auto& entry : saving::weight_entries(layer))
    if (!entry.layer->own_weights().empty()) result.push_back(entry.path);
  return result;
}

}  // namespace cornu::test
