// Lamb: Adam's steps, scaled for each variable by its own size.
#pragma once
#include "../framework/base/optimizer.h"

namespace cornu::optimizers {

struct LambConfig {
  LearningRate learning_rate = 0.001;
  double beta_1 = 0.9;
  double beta_2 = 0.999;
  double epsilon = 1e-7;
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "lamb";
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

using Lamb = Ref<LambOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::LambOptimizer, optimizers::LambConfig>;
}
