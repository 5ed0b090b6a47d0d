// Lion: steps of one size, by the sign of a running mean of the gradient.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

struct LionConfig {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.99;
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "lion";
};

/// w -= rate * sign(beta_1 * m + (1 - beta_1) g), m = beta_2 * m + (1 - beta_2) g. Chen et al.
/// 2023. Throws ValueError unless beta_1 is in (0, 1].
class LionOptimizer : public OptimizerOf<LionOptimizer, LionConfig, ElementwiseOptimizer> {
 public:
  explicit LionOptimizer(LionConfig c);

 protected:
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Lion = Ref<LionOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::LionOptimizer, optimizers::LionConfig,
                                  optimizers::ElementwiseOptimizer>;
}
