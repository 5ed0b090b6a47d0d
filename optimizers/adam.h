// Adam: steps by running means of the gradient and of its square.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Base of Adam and its kin.
class AdamUpdate : public ElementwiseOptimizer {
 public:
  using ElementwiseOptimizer::ElementwiseOptimizer;

 protected:
  /// The options of the update.
  struct Moments {
    double beta_1,  ///< decay of the mean of gradients
        beta_2,     ///< decay of the mean of their squares
        epsilon;    ///< added to the denominator, against division by 0
    bool amsgrad;   ///< use the largest mean of squares so far
  };
  /// m ("momentum") and v ("velocity"); with amsgrad also the largest v ("velocity_hat").
  SlotGroups slot_groups() const override;
  std::vector<Expr> formula(const UpdateTerms& t) const override;
  std::vector<Expr> scalars(const ScalarTerms& terms) const override;

  Moments moments_{};  ///< for the subclass's constructor to set
};

/// Options of Adam: those of its formula, and those that every optimizer has.
struct AdamConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double beta_1 = 0.9;                 ///< decay of the mean of gradients
  double beta_2 = 0.999;               ///< decay of the mean of their squares
  double epsilon = 1e-7;               ///< added to the denominator, against division by 0
  bool amsgrad = false;                ///< use the largest mean of squares so far
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "adam";  ///< name of the optimizer
};

/// m += (1 - beta_1) (g - m), v += (1 - beta_2) (g^2 - v),
/// w -= rate * sqrt(1 - beta_2^t) / (1 - beta_1^t) * m / (sqrt(v) + epsilon), where with amsgrad v
/// is the largest so far. Kingma and Ba 2014, in the form before its section 2.1.
class AdamOptimizer : public OptimizerOf<AdamOptimizer, AdamConfig, AdamUpdate> {
 public:
  /// Throws ValueError for options that Optimizer rejects.
  explicit AdamOptimizer(AdamConfig c);
};

using Adam = Ref<AdamOptimizer>;  ///< a shared AdamOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdamOptimizer, optimizers::AdamConfig,
                                  optimizers::AdamUpdate>;
}
