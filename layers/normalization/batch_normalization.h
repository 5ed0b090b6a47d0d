// BatchNormalization: keeps each channel near mean 0 and variance 1 over the batch.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

struct BatchNormalizationConfig {
  int64_t axis = -1;       ///< the axis of the channels
  double momentum = 0.99;  ///< of the moving averages
  double epsilon = 1e-3;
  bool center = true;  ///< add beta
  bool scale = true;   ///< multiply by gamma
  Choice<Initializer> beta_initializer = "zeros";
  Choice<Initializer> gamma_initializer = "ones";
  Choice<Initializer> moving_mean_initializer = "zeros";
  Choice<Initializer> moving_variance_initializer = "ones";
  Choice<Regularizer> beta_regularizer = {};
  Choice<Regularizer> gamma_regularizer = {};
  Choice<Constraint> beta_constraint = {};
  Choice<Constraint> gamma_constraint = {};
  bool renorm = false;         ///< batch renormalization, https://arxiv.org/abs/1702.03275
  Value renorm_clipping = {};  ///< {"rmax", "rmin", "dmax"}: bounds of its corrections
  double renorm_momentum = 0.99;
  /// Share the statistics among devices: those of one device, which a layer runs on, are the same.
  bool synchronized = false;
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// gamma (x - mean) / sqrt(variance + epsilon) + beta for each channel,
/// https://arxiv.org/abs/1502.03167. While training, mean and variance are the batch's (steps that
/// the mask excludes left out), and the moving averages follow them; else, and always with
/// trainable = false, they are the moving averages. 16-bit inputs are computed in float32.
class BatchNormalizationLayer : public LayerOf<BatchNormalizationLayer, BatchNormalizationConfig> {
 public:
  explicit BatchNormalizationLayer(BatchNormalizationConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call& call) override;
  bool uses_mask() const override { return true; }

  Variable gamma, beta;                   ///< (channels)
  Variable moving_mean, moving_variance;  ///< (channels)

 private:
  struct Transform {
    Tensor mean, variance, gamma, beta;  // of shape (channels); gamma and beta may be numbers
  };
  /// Moves the averages toward the batch's statistics; with renorm, corrects gamma and beta.
  void follow(Transform& t);
  void renormalize(Transform& t);

  Variable moving_stddev_, renorm_mean_, renorm_stddev_;
};

using BatchNormalization = Ref<BatchNormalizationLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::BatchNormalizationLayer, layers::BatchNormalizationConfig>;
}
