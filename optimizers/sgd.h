// SGD: steps down the gradient, with momentum on request.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

struct SGDConfig {
  LearningRate learning_rate = 0.01;
  double momentum = 0.0;
  bool nesterov = false;
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "sgd";
};

/// w -= rate * g; with momentum: m = momentum * m - rate * g, w += m; with nesterov:
/// w += momentum * m - rate * g. Throws ValueError unless momentum is in [0, 1].
class SGDOptimizer : public OptimizerOf<SGDOptimizer, SGDConfig, ElementwiseOptimizer> {
 public:
  explicit SGDOptimizer(SGDConfig c);

 protected:
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using SGD = Ref<SGDOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::SGDOptimizer, optimizers::SGDConfig,
                                  optimizers::ElementwiseOptimizer>;
}
