// LayerNormalization: keeps each sample near mean 0 and variance 1 over its features.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct LayerNormalizationConfig {
  Axes axis = -1;  ///< one axis or several: what is normalized together
  double epsilon = 1e-3;
  bool center = true;  ///< add beta
  bool scale = true;   ///< multiply by gamma
  Choice<Initializer> beta_initializer = "zeros";
  Choice<Initializer> gamma_initializer = "ones";
  Choice<Regularizer> beta_regularizer = {};
  Choice<Regularizer> gamma_regularizer = {};
  Choice<Constraint> beta_constraint = {};
  Choice<Constraint> gamma_constraint = {};
  bool rms_scaling =
      false;  ///< of older files: divide by the deviation without subtracting the mean
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, https://arxiv.org/abs/1607.06450. 16-bit
/// inputs are computed in float32.
class LayerNormalizationLayer : public LayerOf<LayerNormalizationLayer, LayerNormalizationConfig> {
 public:
  explicit LayerNormalizationLayer(LayerNormalizationConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  /// Of the sizes of the normalized axes, by the numbers in option 'axis' in ascending order.
  Variable gamma, beta;
};

using LayerNormalization = Ref<LayerNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LayerNormalizationLayer, layers::LayerNormalizationConfig>;
}
