// Adamax: Adam by the largest recent gradient rather than the mean square.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of Adamax: those of its formula, and those that every optimizer has.
struct AdamaxConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double beta_1 = 0.9;                 ///< decay of the mean of gradients
  double beta_2 = 0.999;               ///< decay of the largest gradient
  double epsilon = 1e-7;               ///< added to the denominator, against division by 0
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "adamax";  ///< name of the optimizer
};

/// m += (1 - beta_1) (g - m), u = max(beta_2 * u, |g|), w -= rate * m / ((1 - beta_1^t) (u +
/// epsilon)). Kingma and Ba 2014, section 7.1.
class AdamaxOptimizer : public OptimizerOf<AdamaxOptimizer, AdamaxConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  /// m ("momentum") and u ("norm"), which begin as 0.
  SlotGroups slot_groups() const override;
  /// The new w, m and u.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
  /// The rate and 1 - beta_1^t.
  std::vector<Expr> scalars(const ScalarTerms& terms) const override;
};

using Adamax = Ref<AdamaxOptimizer>;  ///< a shared AdamaxOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdamaxOptimizer, optimizers::AdamaxConfig,
                                  optimizers::ElementwiseOptimizer>;
}
