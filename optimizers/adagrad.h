// Adagrad: steps by the gradient over the root of the sum of its squares.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of Adagrad: those of its formula, and those that every optimizer has.
struct AdagradConfig {
  LearningRate learning_rate = 0.001;      ///< step size: a number or a schedule
  double initial_accumulator_value = 0.1;  ///< initial sum of squares
  double epsilon = 1e-7;                   ///< added to the denominator, against division by 0
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "adagrad";  ///< name of the optimizer
};

/// a += g^2, w -= rate * g / sqrt(a + epsilon). Duchi et al. 2011.
class AdagradOptimizer : public OptimizerOf<AdagradOptimizer, AdagradConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  /// a ("accumulator"), which begins as initial_accumulator_value.
  SlotGroups slot_groups() const override;
  /// The new w and a.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Adagrad = Ref<AdagradOptimizer>;  ///< a shared AdagradOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdagradOptimizer, optimizers::AdagradConfig,
                                  optimizers::ElementwiseOptimizer>;
}
