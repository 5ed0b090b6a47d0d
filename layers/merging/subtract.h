// Subtract: the difference of two tensors.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// x - y, of the shape to which they broadcast. Throws ShapeError unless there are two inputs.
class SubtractLayer : public MergeLayer<SubtractLayer> {
 public:
  static constexpr const char* title = "Subtract";  ///< the name in errors
  using MergeLayer::MergeLayer;                     ///< from the options; see MergeLayer

  /// Their difference. Throws ShapeError unless there are two.
  static Tensor merge(const std::vector<Tensor>& inputs);
};

using Subtract = Ref<SubtractLayer>;  ///< a shared SubtractLayer, made from its options

/// The first tensor less the second, by a layer with these options: `layers::subtract({a, b})`.
Tensor subtract(const Nest& inputs, MergeConfig options = {});

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::SubtractLayer, layers::MergeConfig>;
}
