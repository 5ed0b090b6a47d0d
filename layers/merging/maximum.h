// Maximum: the largest of tensors, element by element.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// The largest of x, y, ..., of the shape to which they broadcast; places that a mask excludes do
/// not count.
class MaximumLayer : public MergeLayer<MaximumLayer> {
 public:
  static constexpr const char* title = "Maximum";          ///< the name in errors
  using MergeLayer::MergeLayer;                            ///< from the options; see MergeLayer
  static Tensor merge(const std::vector<Tensor>& inputs);  ///< the largest that no mask excludes
};

using Maximum = Ref<MaximumLayer>;  ///< a shared MaximumLayer, made from its options

/// The greatest of tensors, by a layer with these options: `layers::maximum({a, b})`.
Tensor maximum(const Nest& inputs, MergeConfig options = {});

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MaximumLayer, layers::MergeConfig>;
}
