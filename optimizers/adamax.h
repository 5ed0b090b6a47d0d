// Adamax: Adam by the largest recent gradient rather than the mean square.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

struct AdamaxConfig {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "adamax";
};

/// m += (1 - beta_1) (g - m), u = max(beta_2 * u, |g|), w -= rate * m / ((1 - beta_1^t) (u +
/// epsilon)). Kingma and Ba 2014, section 7.1.
class AdamaxOptimizer : public OptimizerOf<AdamaxOptimizer, AdamaxConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
  std::vector<Expr> scalars(const ScalarTerms& terms) const override;
};

using Adamax = Ref<AdamaxOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdamaxOptimizer, optimizers::AdamaxConfig,
                                  optimizers::ElementwiseOptimizer>;
}
