// Average: the mean of tensors.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// (x + y + ...) / their number, of the shape to which they broadcast.
class AverageLayer : public MergeLayer<AverageLayer> {
 public:
  static constexpr const char* title = "Average";  ///< the name in errors
  using MergeLayer::MergeLayer;                    ///< from the options; see MergeLayer

  /// Their mean; of int32 and int64 in float64.
  static Tensor merge(const std::vector<Tensor>& inputs);
};

using Average = Ref<AverageLayer>;  ///< a shared AverageLayer, made from its options

/// The mean of tensors, by a layer with these options: `layers::average({a, b})`.
Tensor average(const Nest& inputs, MergeConfig options = {});

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AverageLayer, layers::MergeConfig>;
}
