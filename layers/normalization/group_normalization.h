// GroupNormalization: keeps groups of a sample's channels near mean 0 and variance 1.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of GroupNormalization, as in Keras.
struct GroupNormalizationConfig {
  int64_t groups = 32;                             ///< number of groups; -1: each channel is one
  int64_t axis = -1;                               ///< axis of the channels
  double epsilon = 1e-3;                           ///< added to the variance, against division by 0
  bool center = true;                              ///< add beta
  bool scale = true;                               ///< multiply by gamma
  Choice<Initializer> beta_initializer = "zeros";  ///< initial values of beta
  Choice<Initializer> gamma_initializer = "ones";  ///< initial values of gamma
  Choice<Regularizer> beta_regularizer = {};       ///< penalty on beta, added to the losses
  Choice<Regularizer> gamma_regularizer = {};      ///< penalty on gamma, added to the losses
  Choice<Constraint> beta_constraint = {};         ///< applied to beta after each update
  Choice<Constraint> gamma_constraint = {};        ///< applied to gamma after each update
  CORNU_LAYER_OPTIONS;
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta, with the mean and variance of each sample's
/// neighboring channels, channels / groups of them, over all other axes but the first:
/// https://arxiv.org/abs/1803.08494. The number of channels must be a multiple of `groups`. 16-bit
/// inputs are computed in float32. Throws ShapeError for other numbers of channels, ValueError for
/// the samples' axis.
class GroupNormalizationLayer : public LayerOf<GroupNormalizationLayer, GroupNormalizationConfig> {
 public:
  /// Throws ValueError unless groups is positive or -1.
  explicit GroupNormalizationLayer(GroupNormalizationConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;

  Variable gamma,  ///< (channels); none without scale
      beta;        ///< (channels); none without center

 private:
  int channel_axis(const Shape& input) const;
};

/// A shared GroupNormalizationLayer, made from its options.
using GroupNormalization = Ref<GroupNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GroupNormalizationLayer, layers::GroupNormalizationConfig>;
}
