// Average: the mean of tensors.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// (x + y + ...) / their number, of the shape to which they broadcast.
class AverageLayer : public MergeLayer<AverageLayer> {
 public:
  static constexpr const char* title = "Average";
  using MergeLayer::MergeLayer;
  static Tensor merge(const std::vector<Tensor>& inputs);
};

using Average = Ref<AverageLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AverageLayer, layers::MergeConfig>;
}
