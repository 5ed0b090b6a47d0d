// ScheduleFreeAdamW: Adam with averaging in place of a falling learning rate.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of ScheduleFreeAdamW: those of its formula, and those that every optimizer has.
struct ScheduleFreeAdamWConfig {
  LearningRate learning_rate = 0.0025;  ///< step size: a number or a schedule
  /// Weight of the averaged weights, where gradients are taken.
  double beta_1 = 0.9;
  double beta_2 = 0.999;     ///< decay of the mean of their squares
  double epsilon = 1e-8;     ///< added to the denominator, against division by 0
  int64_t warmup_steps = 0;  ///< in which the rate grows to its value
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "schedule_free_adam_w";  ///< name of the optimizer
};

/// With v as Adam's: z -= rate * g / (sqrt(v / (1 - beta_2^t)) + epsilon), where z (the momentum)
/// begins as w; x = (w - (1 - beta_1) z_before) / beta_1 moves toward z by the fraction 1 / t, and
/// w = (1 - beta_1) z + beta_1 x. Defazio et al. 2024, https://arxiv.org/abs/2405.15682.
class ScheduleFreeAdamWOptimizer
    : public OptimizerOf<ScheduleFreeAdamWOptimizer, ScheduleFreeAdamWConfig,
                         ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  /// z ("momentum"), which begins as w, and v ("velocity"), as 0.
  SlotGroups slot_groups() const override;
  /// The new w, z and v.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
  /// The rate, times t / warmup_steps during the warmup; 1 - beta_2^t; 1 / t.
  std::vector<Expr> scalars(const ScalarTerms& terms) const override;
};

/// A shared ScheduleFreeAdamWOptimizer, made from its options.
using ScheduleFreeAdamW = Ref<ScheduleFreeAdamWOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::ScheduleFreeAdamWOptimizer,
                                  optimizers::ScheduleFreeAdamWConfig,
                                  optimizers::ElementwiseOptimizer>;
}
