// BatchNormalization: keeps each channel near mean 0 and variance 1 over the batch.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of BatchNormalization, as in Keras.
struct BatchNormalizationConfig {
  int64_t axis = -1;       ///< axis of the channels
  double momentum = 0.99;  ///< of the moving averages: the fraction of the old value that stays
  double epsilon = 1e-3;   ///< added to the variance, against division by 0
  bool center = true;      ///< add beta
  bool scale = true;       ///< multiply by gamma
  /// Initial values of beta.
  Choice<Initializer> beta_initializer = "zeros";
  Choice<Initializer> gamma_initializer = "ones";  ///< initial values of gamma
  /// Initial values of the average of means.
  Choice<Initializer> moving_mean_initializer = "zeros";
  /// Initial values of the average of variances.
  Choice<Initializer> moving_variance_initializer = "ones";
  Choice<Regularizer> beta_regularizer = {};   ///< penalty on beta, added to the losses
  Choice<Regularizer> gamma_regularizer = {};  ///< penalty on gamma, added to the losses
  Choice<Constraint> beta_constraint = {};     ///< applied to beta after each update
  Choice<Constraint> gamma_constraint = {};    ///< applied to gamma after each update
  /// Batch renormalization, https://arxiv.org/abs/1702.03275.
  bool renorm = false;
  Value renorm_clipping = {};     ///< {"rmax", "rmin", "dmax"}: bounds of its corrections
  double renorm_momentum = 0.99;  ///< of the averages that renorm compares with
  /// Share the statistics among devices: those of one device, which a layer runs on, are the same.
  bool synchronized = false;
  CORNU_LAYER_OPTIONS;
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta for each channel,
/// https://arxiv.org/abs/1502.03167. While training, mean and variance are the batch's (steps that
/// the mask excludes left out), and the moving averages follow them; else, and always with
/// trainable = false, they are the moving averages. 16-bit inputs are computed in float32. Throws
/// ShapeError for other channels than those it was built for, and for a mask whose rank is not one
/// less than x's.
class BatchNormalizationLayer : public LayerOf<BatchNormalizationLayer, BatchNormalizationConfig> {
 public:
  /// Throws ValueError for an unknown key in renorm_clipping.
  explicit BatchNormalizationLayer(BatchNormalizationConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  bool uses_mask() const override { return true; }

  Variable gamma,        ///< (channels); none without scale
      beta;              ///< (channels); none without center
  Variable moving_mean,  ///< (channels)
      moving_variance;   ///< (channels)

 private:
  struct Transform {
    Tensor mean, variance, gamma, beta;  // of shape (channels); gamma and beta may be numbers
  };
  /// Moves the averages toward the batch's statistics; with renorm, corrects gamma and beta.
  void follow(Transform& t);
  void renormalize(Transform& t);

  Variable moving_stddev_, renorm_mean_, renorm_stddev_;
};

/// A shared BatchNormalizationLayer, made from its options.
using BatchNormalization = Ref<BatchNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::BatchNormalizationLayer, layers::BatchNormalizationConfig>;
}
