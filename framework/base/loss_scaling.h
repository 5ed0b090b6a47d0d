// LossScaling: an optimizer around another, with gradients that 16-bit floats can hold.
#pragma once
#include "optimizer.h"

namespace cornu {

/// Options of LossScaling, as keras.optimizers.LossScaleOptimizer has them.
struct LossScalingConfig {
  Required<Choice<Optimizer>> inner_optimizer;  ///< updates the weights
  double initial_scale = 32768.0;               ///< factor of the loss at the start; positive
  int64_t dynamic_growth_steps = 2000;          ///< finite steps until the scale doubles
  std::string name = "loss_scale_optimizer";    ///< in files
};

/// keras.optimizers.LossScaleOptimizer, which compile() puts around the optimizer of a model whose
/// policy is "mixed_float16". The loss is multiplied by a scale before differentiation, and the
/// gradients are divided by it before the inner optimizer's step. A step whose gradients are not
/// all finite changes nothing but the scale, which is halved; after dynamic_growth_steps finite
/// ones it is doubled. A loss_scale_factor of the inner optimizer has no effect. The rate is the
/// inner optimizer's.
class LossScaling : public Optimizer {
 public:
  using Config = LossScalingConfig;  ///< the options
  /// Throws ValueError without an inner optimizer, or for a scale or number of steps that is not
  /// positive.
  explicit LossScaling(LossScalingConfig c);
  Value::Dict get_config() const override;
  /// Also takes the options that all optimizers have, at their defaults.
  static std::shared_ptr<LossScaling> from_config(const Value::Dict& dict);

  void build(const std::vector<Variable>& variables) override;
  using Optimizer::apply;
  void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) override;
  Tensor iterations() const override { return inner_optimizer()->iterations(); }
  double learning_rate() const override;
  void set_learning_rate(double value) override;
  /// Its own (iteration, learning rate, step counter, scale), then the inner optimizer's.
  std::vector<Variable> variables() const override;
  Tensor scale_loss(const Tensor& loss) override;
  void finalize_variable_values() override;
  void finalize_variable_values(const std::vector<Variable>& var_list) override;

  /// The factor of the loss (float32, a scalar), which steps change; no variable before build.
  const Variable& dynamic_scale() const { return dynamic_scale_; }
  /// Finite steps since the factor last changed (int64, a scalar); no variable before build.
  const Variable& step_counter() const { return step_counter_; }
  /// The optimizer that gets the unscaled gradients.
  const std::shared_ptr<Optimizer>& inner_optimizer() const {
    return config.inner_optimizer->shared();
  }
  LossScalingConfig config;  ///< as given

 protected:
  void build_slots(const std::vector<Variable>& variables) override;
  void update_step(size_t, const Tensor&, Variable&, const Tensor&) override {}

 private:
  Variable step_counter_, dynamic_scale_;
};

}  // namespace cornu
