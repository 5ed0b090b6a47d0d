// Adadelta: steps in proportion to the size of earlier steps.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of Adadelta: those of its formula, and those that every optimizer has.
struct AdadeltaConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double rho = 0.95;                   ///< decay of the running means
  double epsilon = 1e-7;               ///< added to the denominator, against division by 0
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "adadelta";  ///< name of the optimizer
};

/// With rms(x) = sqrt(x + epsilon): a = rho * a + (1 - rho) g^2, step = rms(d) * g / rms(a),
/// d = rho * d + (1 - rho) step^2, w -= rate * step. Zeiler 2012.
class AdadeltaOptimizer
    : public OptimizerOf<AdadeltaOptimizer, AdadeltaConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  /// a ("accumulated_grad") and d ("accumulated_delta_var"), which begin as 0.
  SlotGroups slot_groups() const override;
  /// The new w, a and d.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Adadelta = Ref<AdadeltaOptimizer>;  ///< a shared AdadeltaOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdadeltaOptimizer, optimizers::AdadeltaConfig,
                                  optimizers::ElementwiseOptimizer>;
}
