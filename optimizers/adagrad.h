// Adagrad: steps by the gradient over the root of the sum of its squares.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

struct AdagradConfig {
  LearningRate learning_rate = 0.001;
  double initial_accumulator_value = 0.1;
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
  std::string name = "adagrad";
};

/// a += g^2, w -= rate * g / sqrt(a + epsilon). Duchi et al. 2011.
class AdagradOptimizer : public OptimizerOf<AdagradOptimizer, AdagradConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Adagrad = Ref<AdagradOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdagradOptimizer, optimizers::AdagradConfig,
                                  optimizers::ElementwiseOptimizer>;
}
