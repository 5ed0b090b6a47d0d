// Ftrl: follow the regularized leader, for sparse linear models.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

struct FtrlConfig {
  LearningRate learning_rate = 0.001;
  double learning_rate_power = -0.5;
  double initial_accumulator_value = 0.1;
  double l1_regularization_strength = 0.0;
  double l2_regularization_strength = 0.0;
  double l2_shrinkage_regularization_strength = 0.0;
  double beta = 0.0;
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "ftrl";
};

/// With h = g + 2 * shrinkage * w, b = a + g^2, s(x) = x^-learning_rate_power / rate:
/// z += h - (s(b) - s(a)) w, w = (clip(z, -l1, l1) - z) / (s(b) + 2 l2 + beta / rate), a = b.
/// McMahan et al. 2013. Throws ValueError for a negative strength or initial value, or a positive
/// learning_rate_power.
class FtrlOptimizer : public OptimizerOf<FtrlOptimizer, FtrlConfig, ElementwiseOptimizer> {
 public:
  explicit FtrlOptimizer(FtrlConfig c);

 protected:
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Ftrl = Ref<FtrlOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::FtrlOptimizer, optimizers::FtrlConfig,
                                  optimizers::ElementwiseOptimizer>;
}
