// Ftrl: follow the regularized leader, for sparse linear models.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of Ftrl: those of its formula, and those that every optimizer has.
struct FtrlConfig {
  LearningRate learning_rate = 0.001;       ///< step size: a number or a schedule
  double learning_rate_power = -0.5;        ///< exponent of the sum of squares, 0 or less
  double initial_accumulator_value = 0.1;   ///< initial sum of squares
  double l1_regularization_strength = 0.0;  ///< weight of the absolute values, 0 or more
  double l2_regularization_strength = 0.0;  ///< weight of the squares, 0 or more
  /// Weight of the squares in the gradient only, 0 or more.
  double l2_shrinkage_regularization_strength = 0.0;
  double beta = 0.0;  ///< added to the denominator, times 1 / rate
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "ftrl";  ///< name of the optimizer
};

/// With h = g + 2 * shrinkage * w, b = a + g^2, s(x) = x^-learning_rate_power / rate:
/// z += h - (s(b) - s(a)) w, w = (clip(z, -l1, l1) - z) / (s(b) + 2 l2 + beta / rate), a = b.
/// McMahan et al. 2013. Throws ValueError for a negative strength or initial value, or a positive
/// learning_rate_power.
class FtrlOptimizer : public OptimizerOf<FtrlOptimizer, FtrlConfig, ElementwiseOptimizer> {
 public:
  /// Throws ValueError for a negative strength or initial value, a positive learning_rate_power, or
  /// for common options that Optimizer rejects.
  explicit FtrlOptimizer(FtrlConfig c);

 protected:
  /// a ("accumulator"), which begins as initial_accumulator_value, and z ("linear"), as 0.
  SlotGroups slot_groups() const override;
  /// The new w, a and z.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Ftrl = Ref<FtrlOptimizer>;  ///< a shared FtrlOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::FtrlOptimizer, optimizers::FtrlConfig,
                                  optimizers::ElementwiseOptimizer>;
}
