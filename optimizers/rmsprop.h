// RMSprop: steps by the gradient over its running root mean square.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of RMSprop: those of its formula, and those that every optimizer has.
struct RMSpropConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double rho = 0.9;                    ///< decay of the mean of squares
  double momentum = 0.0;               ///< decay of the accumulated steps; 0: none
  double epsilon = 1e-7;               ///< added to the denominator, against division by 0
  bool centered = false;               ///< divide by the deviation instead of the root mean square
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "rm_sprop";  ///< name of the optimizer
};

/// v = rho * v + (1 - rho) g^2, step = rate * g / sqrt(v + epsilon), w -= step; centered: the
/// square of a running mean of g is taken off v in the root; with momentum: m = momentum * m +
/// step, w -= m. Tieleman and Hinton 2012.
class RMSpropOptimizer : public OptimizerOf<RMSpropOptimizer, RMSpropConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  /// v ("velocity"); with momentum m ("momentum"); centered, the mean of g ("average_gradient").
  /// All begin as 0.
  SlotGroups slot_groups() const override;
  /// The new w, then the slots that there are.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using RMSprop = Ref<RMSpropOptimizer>;  ///< a shared RMSpropOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::RMSpropOptimizer, optimizers::RMSpropConfig,
                                  optimizers::ElementwiseOptimizer>;
}
