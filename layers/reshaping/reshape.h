// Reshape: each sample under another shape.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Reshape.
struct ReshapeConfig {
  Required<Shape> target_shape;  ///< of a sample, without the batch; one size may be -1 (inferred)
  CORNU_LAYER_OPTIONS;
};

/// x (batch, ...) -> (batch, target_shape...). Throws ShapeError when the sizes do not fit.
class ReshapeLayer : public LayerOf<ReshapeLayer, ReshapeConfig> {
 public:
  using LayerOf::LayerOf;
  Tensor call(const Tensor& x, const Call&) override;
  bool acts_per_row() const override { return true; }
  Value::Dict get_config() const override;
};

using Reshape = Ref<ReshapeLayer>;  ///< a shared ReshapeLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ReshapeLayer, layers::ReshapeConfig>;
}
