// Dot: products of vectors along an axis of each of two tensors, sample by sample.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

/// Options of Dot, as in Keras.
struct DotConfig {
  Required<Axes> axes;  ///< one for both inputs, or {of the first, of the second}; not the batch
  /// Divide the vectors by their lengths before: the result is their cosine.
  bool normalize = false;
  CORNU_LAYER_OPTIONS;
};

/// {x (batch, a..., n), y (batch, n, b...)} -> (batch, a..., b...), where the axes of size n are
/// those of the option; (batch, 1) where nothing else is left. Throws ValueError for the batch's
/// axis or more than two axes, ShapeError when the sizes differ.
class DotLayer : public LayerOf<DotLayer, DotConfig> {
 public:
  explicit DotLayer(DotConfig config);  ///< throws ValueError for more than two axes
  Nest call_many(const Nest& inputs, const Call&) override;
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }

 private:
  int axis_of(size_t input, const Shape& shape) const;

  std::vector<int64_t> axes_;  // of the first and the second input
};

using Dot = Ref<DotLayer>;  ///< a shared DotLayer, made from its options

/// Products of two tensors by a layer with these options: `layers::dot({a, b}, {.axes = 1})`.
Tensor dot(const Nest& inputs, DotConfig options);

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DotLayer, layers::DotConfig>;
}
