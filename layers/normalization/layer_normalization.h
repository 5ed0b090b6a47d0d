// LayerNormalization: keeps each sample near mean 0 and variance 1 over its features.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of LayerNormalization, as in Keras.
struct LayerNormalizationConfig {
  Axes axis = -1;         ///< one axis or several: what is normalized together
  double epsilon = 1e-3;  ///< added to the variance, against division by 0
  bool center = true;     ///< add beta
  bool scale = true;      ///< multiply by gamma
  /// Initial values of beta.
  Choice<Initializer> beta_initializer = "zeros";
  Choice<Initializer> gamma_initializer = "ones";  ///< initial values of gamma
  Choice<Regularizer> beta_regularizer = {};       ///< penalty on beta, added to the losses
  Choice<Regularizer> gamma_regularizer = {};      ///< penalty on gamma, added to the losses
  Choice<Constraint> beta_constraint = {};         ///< applied to beta after each update
  Choice<Constraint> gamma_constraint = {};        ///< applied to gamma after each update
  /// Kept for older files: divide by the deviation, without subtracting the mean.
  bool rms_scaling = false;
  CORNU_LAYER_OPTIONS;
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, https://arxiv.org/abs/1607.06450. 16-bit
/// inputs are computed in float32. Throws ShapeError for other sizes of the axes than those it was
/// built for.
class LayerNormalizationLayer : public LayerOf<LayerNormalizationLayer, LayerNormalizationConfig> {
 public:
  explicit LayerNormalizationLayer(LayerNormalizationConfig config);  ///< lets masks through
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  /// Of the sizes of the normalized axes, by the numbers in option 'axis' in ascending order.
  Variable gamma, beta;  ///< of gamma's shape
};

/// A shared LayerNormalizationLayer, made from its options.
using LayerNormalization = Ref<LayerNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::LayerNormalizationLayer, layers::LayerNormalizationConfig>;
}
