// Lion: steps of one size, by the sign of a running mean of the gradient.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of Lion: those of its formula, and those that every optimizer has.
struct LionConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double beta_1 = 0.9;                 ///< fraction of the mean in a step, in (0, 1]
  double beta_2 = 0.99;                ///< decay of the mean of gradients
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "lion";  ///< name of the optimizer
};

/// w -= rate * sign(beta_1 * m + (1 - beta_1) g), m = beta_2 * m + (1 - beta_2) g. Chen et al.
/// 2023. Throws ValueError unless beta_1 is in (0, 1].
class LionOptimizer : public OptimizerOf<LionOptimizer, LionConfig, ElementwiseOptimizer> {
 public:
  /// Throws ValueError unless beta_1 is in (0, 1], or for common options that Optimizer rejects.
  explicit LionOptimizer(LionConfig c);

 protected:
  /// m ("momentum"), which begins as 0.
  SlotGroups slot_groups() const override;
  /// The new w and m.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Lion = Ref<LionOptimizer>;  ///< a shared LionOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::LionOptimizer, optimizers::LionConfig,
                                  optimizers::ElementwiseOptimizer>;
}
