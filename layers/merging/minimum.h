// Minimum: the smallest of tensors, element by element.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// The smallest of x, y, ..., of the shape to which they broadcast; places that a mask excludes do
/// not count.
class MinimumLayer : public MergeLayer<MinimumLayer> {
 public:
  static constexpr const char* title = "Minimum";
  using MergeLayer::MergeLayer;
  static Tensor merge(const std::vector<Tensor>& inputs);
};

using Minimum = Ref<MinimumLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MinimumLayer, layers::MergeConfig>;
}
