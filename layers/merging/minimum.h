// Minimum: the smallest of tensors, element by element.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// The smallest of x, y, ..., of the shape to which they broadcast; places that a mask excludes do
/// not count.
class MinimumLayer : public MergeLayer<MinimumLayer> {
 public:
  static constexpr const char* title = "Minimum";          ///< the name in errors
  using MergeLayer::MergeLayer;                            ///< from the options; see MergeLayer
  static Tensor merge(const std::vector<Tensor>& inputs);  ///< the smallest that no mask excludes
};

using Minimum = Ref<MinimumLayer>;  ///< a shared MinimumLayer, made from its options

/// The least of tensors, by a layer with these options: `layers::minimum({a, b})`.
Tensor minimum(const Nest& inputs, MergeConfig options = {});

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MinimumLayer, layers::MergeConfig>;
}
