// Multiply: the product of tensors.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// x * y * ..., of the shape to which they broadcast. Places that an input's mask excludes count as
/// 1, and give 0 where all exclude them.
class MultiplyLayer : public MergeLayer<MultiplyLayer> {
 public:
  static constexpr const char* title = "Multiply";         ///< the name in errors
  using MergeLayer::MergeLayer;                            ///< from the options; see MergeLayer
  static Tensor merge(const std::vector<Tensor>& inputs);  ///< their product
};

using Multiply = Ref<MultiplyLayer>;  ///< a shared MultiplyLayer, made from its options

/// The product of tensors, by a layer with these options: `layers::multiply({a, b})`.
Tensor multiply(const Nest& inputs, MergeConfig options = {});

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MultiplyLayer, layers::MergeConfig>;
}
