// SGD: steps down the gradient, with momentum on request.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of SGD: those of its formula, and those that every optimizer has.
struct SGDConfig {
  LearningRate learning_rate = 0.01;  ///< step size: a number or a schedule
  double momentum = 0.0;              ///< decay of the accumulated steps; 0: none
  bool nesterov = false;              ///< Nesterov's momentum
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "sgd";  ///< name of the optimizer
};

/// w -= rate * g; with momentum: m = momentum * m - rate * g, w += m; with nesterov:
/// w += momentum * m - rate * g. Throws ValueError unless momentum is in [0, 1].
class SGDOptimizer : public OptimizerOf<SGDOptimizer, SGDConfig, ElementwiseOptimizer> {
 public:
  /// Throws ValueError unless momentum is in [0, 1], or for common options that Optimizer rejects.
  explicit SGDOptimizer(SGDConfig c);

 protected:
  /// m ("momentum"), which begins as 0; no slot where momentum is 0.
  SlotGroups slot_groups() const override;
  /// The new w and, with momentum, m.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using SGD = Ref<SGDOptimizer>;  ///< a shared SGDOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::SGDOptimizer, optimizers::SGDConfig,
                                  optimizers::ElementwiseOptimizer>;
}
