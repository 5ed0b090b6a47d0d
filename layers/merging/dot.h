// Dot: products of vectors along an axis of each of two tensors, sample by sample.
#pragma once
#include "merge_layer.h"

namespace cornu::layers {

struct DotConfig {
  Required<Axes> axes;  ///< one for both inputs, or {of the first, of the second}; not the batch
  bool normalize =
      false;  ///< gives the vectors length 1 before, so that the result is their cosine
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// {x (batch, a..., n), y (batch, n, b...)} -> (batch, a..., b...), where the axes of size n are
/// those of the option; (batch, 1) where nothing else is left.
class DotLayer : public LayerOf<DotLayer, DotConfig> {
 public:
  explicit DotLayer(DotConfig config);
  Nest call_many(const Nest& inputs, const Call&) override;
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }

 private:
  int axis_of(size_t input, const Shape& shape) const;

  std::vector<int64_t> axes_;  // of the first and the second input
};

using Dot = Ref<DotLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DotLayer, layers::DotConfig>;
}
