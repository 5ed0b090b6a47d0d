// Nadam: Adam with Nesterov's look ahead.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of Nadam: those of its formula, and those that every optimizer has.
struct NadamConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double beta_1 = 0.9;                 ///< decay of the mean of gradients
  double beta_2 = 0.999;               ///< decay of the mean of their squares
  double epsilon = 1e-7;               ///< added to the denominator, against division by 0
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "nadam";  ///< name of the optimizer
};

/// Adam's means, with m replaced by m times the next step's momentum plus g times 1 minus this
/// step's, where the momentum of step t is beta_1 * (1 - 0.96^t / 2). Dozat 2016.
class NadamOptimizer : public OptimizerOf<NadamOptimizer, NadamConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  /// m ("momentum") and v ("velocity"), which begin as 0.
  SlotGroups slot_groups() const override;
  /// The new w, m and v.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
  /// The rate, the next step's momentum, and 1 minus each of: the product of the momentums up to
  /// the next, this step's momentum, the product up to this step's, and beta_2^t.
  std::vector<Expr> scalars(const ScalarTerms& terms) const override;
  /// Adds a state for all variables: the product of the momentums ("u_product"), 1 at first.
  void build_slots(const std::vector<Variable>& variables) override;
  /// Multiplies the product by the momentum of the step.
  void begin_update(const Tensor& learning_rate) override;
  /// The product of the momentums so far.
  Tensors scalar_inputs() const override;

 private:
  Variable product_;  // of the momentums so far
  backend::ProgramRef product_program_;
};

using Nadam = Ref<NadamOptimizer>;  ///< a shared NadamOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::NadamOptimizer, optimizers::NadamConfig,
                                  optimizers::ElementwiseOptimizer>;
}
