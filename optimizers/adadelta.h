// Adadelta: steps in proportion to the size of earlier steps.
#pragma once
#include "elementwise_optimizer.h"

namespace cornu::optimizers {

/// Options of Adadelta: those of its formula, and those that every optimizer has.
struct AdadeltaConfig {
  LearningRate learning_rate = 0.001;  ///< step size: a number or a schedule
  double rho = 0.95;                   ///< decay of the running means
  double epsilon = 1e-7;               ///< added to the denominator, against division by 0
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = {};
  std::optional<double> clipnorm = {};  ///< largest L2 norm of each gradient; none: no limit
  /// Largest absolute value of a gradient's elements; none: no limit.
  std::optional<double> clipvalue = {};
  /// Largest L2 norm of all gradients together; none: no limit.
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;        ///< keep moving averages of the weights
  double ema_momentum = 0.99;  ///< of those averages, in [0, 1]
  /// Steps after which the averages replace the weights; none: at the end.
  std::optional<int64_t> ema_overwrite_frequency = {};
  /// Factor of the loss, divided out of the gradients; none: 1.
  std::optional<double> loss_scale_factor = {};
  /// Calls whose mean gradient is one update; none: 1.
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "adadelta";  ///< name of the optimizer
};

/// With rms(x) = sqrt(x + epsilon): a = rho * a + (1 - rho) g^2, step = rms(d) * g / rms(a),
/// d = rho * d + (1 - rho) step^2, w -= rate * step. Zeiler 2012.
class AdadeltaOptimizer
    : public OptimizerOf<AdadeltaOptimizer, AdadeltaConfig, ElementwiseOptimizer> {
 public:
  using OptimizerOf::OptimizerOf;

 protected:
  /// a ("accumulated_grad") and d ("accumulated_delta_var"), which begin as 0.
  SlotGroups slot_groups() const override;
  /// The new w, a and d.
  std::vector<Expr> formula(const UpdateTerms& t) const override;
};

using Adadelta = Ref<AdadeltaOptimizer>;  ///< a shared AdadeltaOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::AdadeltaOptimizer, optimizers::AdadeltaConfig,
                                  optimizers::ElementwiseOptimizer>;
}
