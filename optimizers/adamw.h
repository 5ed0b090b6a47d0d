// AdamW: Adam with weight decay apart from the gradient.
#pragma once
#include "adam.h"

namespace cornu::optimizers {

struct AdamWConfig {
  LearningRate learning_rate = 0.001;
  std::optional<double> weight_decay = 0.004;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "adam_w";
};

/// Adam's update after w -= rate * weight_decay * w. Loshchilov and Hutter 2019. Throws ValueError
/// without a weight_decay.
class AdamWOptimizer : public OptimizerOf<AdamWOptimizer, AdamWConfig, AdamUpdate> {
 public:
  explicit AdamWOptimizer(AdamWConfig c);
};

using AdamW = Ref<AdamWOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdamWOptimizer, optimizers::AdamWConfig,
                                  optimizers::AdamUpdate>;
}
