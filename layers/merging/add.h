// Add: the sum of tensors.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// x + y + ..., of the shape to which they broadcast.
class AddLayer : public MergeLayer<AddLayer> {
 public:
  static constexpr const char* title = "Add";
  using MergeLayer::MergeLayer;
  static Tensor merge(const std::vector<Tensor>& inputs);
};

using Add = Ref<AddLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AddLayer, layers::MergeConfig>;
}
