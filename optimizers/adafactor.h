// Adafactor: Adam's scaling from row and column means of the squared gradient.
#pragma once
#include "../framework/base/optimizer.h"

namespace cornu::optimizers {

/// Options of Adafactor: those of its formula, and those that every optimizer has.
struct AdafactorConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  /// Exponent by which the decay of the means depends on the step.
  double beta_2_decay = -0.8;
  double epsilon_1 = 1e-30;     ///< added to squares of gradients
  double epsilon_2 = 1e-3;      ///< lower limit of a weight's root mean square
  double clip_threshold = 1.0;  ///< largest root mean square of an update
  /// Kept for files: as in Keras, the rate is limited to 1 / sqrt(step) whatever it says.
  bool relative_step = true;
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "adafactor";  ///< name of the optimizer
};

/// With b = 1 - t^beta_2_decay: running means of g^2 + epsilon_1 along the last axis (r) and the
/// one before it (c), v = r c / mean(r), u = g / sqrt(v); w -= max(epsilon_2, rms(w)) * rho * u /
/// max(1, rms(u) / clip_threshold), with rho = min(rate, 1 / sqrt(t)). Variables of fewer than two
/// axes have a running mean v of their own. Shazeer and Stern 2018.
class AdafactorOptimizer : public OptimizerOf<AdafactorOptimizer, AdafactorConfig> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  void build_slots(const std::vector<Variable>& variables) override;
  void begin_update(const Tensor& learning_rate) override;
  void update_step(size_t index, const Tensor& gradient, Variable& variable,
                   const Tensor& learning_rate) override;

 private:
  Tensor squares(const Tensor& gradient, const Axes& axes, double count) const;

  std::vector<Variable> rows_, columns_, velocities_;
  backend::ProgramRef scalar_program_, square_program_;
  Tensor rho_, beta_;  // of the update under way
};

using Adafactor = Ref<AdafactorOptimizer>;  ///< a shared AdafactorOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdafactorOptimizer, optimizers::AdafactorConfig>;
}
