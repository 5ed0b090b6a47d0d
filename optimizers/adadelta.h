// Adadelta: steps in proportion to the size of earlier steps.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

struct AdadeltaConfig {
  LearningRate learning_rate = 0.001;
  double rho = 0.95;
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
  std::string name = "adadelta";
};

/// With rms(x) = sqrt(x + epsilon): a = rho * a + (1 - rho) g^2, step = rms(d) * g / rms(a),
/// d = rho * d + (1 - rho) step^2, w -= rate * step. Zeiler 2012.
class AdadeltaOptimizer
    : public OptimizerOf<AdadeltaOptimizer, AdadeltaConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Adadelta = Ref<AdadeltaOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdadeltaOptimizer, optimizers::AdadeltaConfig,
                                  optimizers::ElementwiseOptimizer>;
}
