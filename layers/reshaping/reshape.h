// Reshape: each sample under another shape.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of Reshape.
struct ReshapeConfig {
  Required<Shape> target_shape;  ///< of a sample, without the batch; one size may be -1 (inferred)
  std::string name = "";         ///< of the layer; empty: made from the class's name
  bool trainable = true;         ///< whether training changes the weights
  /// Dtypes of weights and computation; none: the global policy.
  std::optional<DTypePolicy> dtype = {};
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
