// Concatenate: joins tensors along an axis.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// Options of Concatenate, as in Keras.
struct ConcatenateConfig {
  int64_t axis = -1;  ///< axis along which the tensors are joined
  CORNU_LAYER_OPTIONS;
};

/// Tensors that agree on all axes but one -> one tensor with the sum of their sizes there. Throws
/// ShapeError for other shapes.
class ConcatenateLayer : public LayerOf<ConcatenateLayer, ConcatenateConfig> {
 public:
  explicit ConcatenateLayer(ConcatenateConfig config);  ///< accepts inputs with masks
  Nest call_many(const Nest& inputs, const Call&) override;
  /// Of the masks that the inputs carry, joined; inputs without one count as real.
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  /// The same of these masks. Throws ValueError unless there are as many as inputs, or none.
  std::vector<Tensor> compute_masks(const Nest& inputs, const std::vector<Tensor>& masks) override;
};

using Concatenate = Ref<ConcatenateLayer>;  ///< a shared ConcatenateLayer, made from its options

/// Tensors one after the other, by a layer with these options: `layers::concatenate({a, b})`.
Tensor concatenate(const Nest& inputs, ConcatenateConfig options = {});

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ConcatenateLayer, layers::ConcatenateConfig>;
}
