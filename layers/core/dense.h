// Dense: the fully connected layer, activation(x kernel + bias).
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct DenseConfig {
  Required<int64_t> units;  ///< size of the last axis of the output
  cornu::Activation activation = {};
  bool use_bias = true;
  Choice<Initializer> kernel_initializer = "glorot_uniform";
  Choice<Initializer> bias_initializer = "zeros";
  Choice<Regularizer> kernel_regularizer = {};
  Choice<Regularizer> bias_regularizer = {};
  Choice<Regularizer> activity_regularizer = {};
  Choice<Constraint> kernel_constraint = {};
  Choice<Constraint> bias_constraint = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// x (batch, ..., features) -> (batch, ..., units). Throws ShapeError when the last axis is not the
/// one it was built for.
class DenseLayer : public LayerOf<DenseLayer, DenseConfig> {
 public:
  explicit DenseLayer(DenseConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;
  static std::shared_ptr<DenseLayer> from_config(const Value::Dict& dict);

  Variable kernel;  ///< (features, units)
  Variable bias;    ///< (units); none without use_bias
};

using Dense = Ref<DenseLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::DenseLayer, layers::DenseConfig>;
}
