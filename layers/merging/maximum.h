// Maximum: the largest of tensors, element by element.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// The largest of x, y, ..., of the shape to which they broadcast; places that a mask excludes do
/// not count.
class MaximumLayer : public MergeLayer<MaximumLayer> {
 public:
  static constexpr const char* title = "Maximum";
  using MergeLayer::MergeLayer;
  static Tensor merge(const std::vector<Tensor>& inputs);
};

using Maximum = Ref<MaximumLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaximumLayer, layers::MergeConfig>;
}
