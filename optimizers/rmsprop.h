// RMSprop: steps by the gradient over its running root mean square.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

struct RMSpropConfig {
  LearningRate learning_rate = 0.001;
  double rho = 0.9;
  double momentum = 0.0;
  double epsilon = 1e-7;
  bool centered = false;
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "rm_sprop";
};

/// v = rho * v + (1 - rho) g^2, step = rate * g / sqrt(v + epsilon), w -= step; centered: the
/// square of a running mean of g is taken off v in the root; with momentum: m = momentum * m +
/// step, w -= m. Tieleman and Hinton 2012.
class RMSpropOptimizer : public OptimizerOf<RMSpropOptimizer, RMSpropConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using RMSprop = Ref<RMSpropOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::RMSpropOptimizer, optimizers::RMSpropConfig,
                                  optimizers::ElementwiseOptimizer>;
}
