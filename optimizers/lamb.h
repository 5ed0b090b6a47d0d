// Lamb: Adam's steps, scaled for each variable by its own size.
#pragma once
#include "../framework/base/optimizer.h"

namespace cornu::optimizers {

/// Options of Lamb: those of its formula, and those that every optimizer has.
struct LambConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double beta_1 = 0.9;                 ///< decay of the mean of gradients
  double beta_2 = 0.999;               ///< decay of the mean of their squares
  double epsilon = 1e-7;               ///< added to the denominator, against division by 0
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "lamb";  ///< name of the optimizer
};

/// With Adam's means m and v: u = m / (1 - beta_1^t) / (sqrt(v / (1 - beta_2^t)) + epsilon),
/// w -= rate * |w| / |u| * u, where the quotient of the norms is 1 if one of them is 0. You et al.
/// 2019.
class LambOptimizer : public OptimizerOf<LambOptimizer, LambConfig> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void build_slots(const std::vector<Variable>& variables) override;
  void update_step(size_t index, const Tensor& gradient, Variable& variable,
                   const Tensor& learning_rate) override;

 private:
  std::vector<Variable> momentums_, velocities_;
  backend::ProgramRef program_;
};

using Lamb = Ref<LambOptimizer>;  ///< a shared LambOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::LambOptimizer, optimizers::LambConfig>;
}
