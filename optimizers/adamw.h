// AdamW: Adam with weight decay apart from the gradient.
#pragma once
#include "adam.h"

namespace cornu::optimizers {

/// Options of AdamW: those of its formula, and those that every optimizer has.
struct AdamWConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = 0.004;
  double beta_1 = 0.9;    ///< decay of the mean of gradients
  double beta_2 = 0.999;  ///< decay of the mean of their squares
  double epsilon = 1e-7;  ///< added to the denominator, against division by 0
  bool amsgrad = false;   ///< use the largest mean of squares so far
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "adam_w";  ///< name of the optimizer
};

/// Adam's update after w -= rate * weight_decay * w. Loshchilov and Hutter 2019. Throws ValueError
/// without a weight_decay.
class AdamWOptimizer : public OptimizerOf<AdamWOptimizer, AdamWConfig, AdamUpdate> {
 public:
  /// Throws ValueError without a weight_decay, or for common options that Optimizer rejects.
  explicit AdamWOptimizer(AdamWConfig c);
};

using AdamW = Ref<AdamWOptimizer>;  ///< a shared AdamWOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdamWOptimizer, optimizers::AdamWConfig,
                                  optimizers::AdamUpdate>;
}
