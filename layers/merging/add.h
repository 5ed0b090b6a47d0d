// Add: the sum of tensors.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// x + y + ..., of the shape to which they broadcast.
class AddLayer : public MergeLayer<AddLayer> {
 public:
  static constexpr const char* title = "Add";              ///< the name in errors
  using MergeLayer::MergeLayer;                            ///< from the options; see MergeLayer
  static Tensor merge(const std::vector<Tensor>& inputs);  ///< their sum
};

using Add = Ref<AddLayer>;  ///< a shared AddLayer, made from its options

/// The sum of tensors, by a layer with these options: `layers::add({a, b})`.
Tensor add(const Nest& inputs, MergeConfig options = {});

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AddLayer, layers::MergeConfig>;
}
