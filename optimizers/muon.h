// Muon: steps along the orthogonal matrix that is nearest to the momentum.
#pragma once
#include "../framework/base/number.h"
#include "../framework/base/optimizer.h"

namespace cornu::optimizers {

/// Options of Muon: those of its formula, and those that every optimizer has.
struct MuonConfig {
  LearningRate learning_rate = 0.001;               ///< step size: a number or a schedule
  double adam_beta_1 = 0.9;                         ///< Adam's beta_1
  double adam_beta_2 = 0.999;                       ///< Adam's beta_2
  std::optional<double> adam_weight_decay = 0.004;  ///< weight decay of variables with Adam's steps
  /// Added to the denominator, against division by 0.
  double epsilon = 1e-7;
  /// Fraction of a weight that a step removes, times the rate; none: no decay.
  std::optional<double> weight_decay = 0.004;
  CORNU_OPTIMIZER_OPTIONS;
  std::string name = "muon";  ///< name of the optimizer
  /// Variables with Adam's steps: regular expressions for their paths.
  std::vector<std::string> exclude_layers = {};
  bool exclude_embeddings = true;  ///< embeddings take Adam's steps
  double muon_a = 3.4445;          ///< coefficient of x
  double muon_b = -4.7750;         ///< coefficient of A x
  double muon_c = 2.0315;          ///< coefficient of A A x
  Number adam_lr_ratio = 1;        ///< factor of the rate of Adam's steps
  double momentum = 0.95;          ///< decay of the sum of gradients
  int64_t ns_steps = 5;            ///< Newton-Schulz iterations
  bool nesterov = true;            ///< Nesterov's momentum
  /// Factor of the update, times sqrt(longer side); none: the update as it is.
  std::optional<double> rms_rate = 0.2;
};

/// For matrices: m = momentum * m + g, x = g + momentum * m (m without nesterov) over its norm;
/// ns_steps times x = a x + (b A + c A A) x with A = x x'; w -= rate * x * rms_rate * sqrt(longer
/// side). Other variables, those whose path matches exclude_layers and, with exclude_embeddings,
/// those with "embedding" in it take AdamW's steps, with adam_lr_ratio times the rate. Jordan 2024,
/// https://github.com/KellerJordan/Muon, and Liu et al. 2025, https://arxiv.org/abs/2502.16982.
/// Throws ValueError for a malformed expression.
class MuonOptimizer : public OptimizerOf<MuonOptimizer, MuonConfig> {
 public:
  /// Throws ValueError for a malformed expression in exclude_layers, or for common options that
  /// Optimizer rejects.
  explicit MuonOptimizer(MuonConfig c);
  /// In Keras's order.
  Value::Dict get_config() const override;

 protected:
  void build_slots(const std::vector<Variable>& variables) override;
  void begin_update(const Tensor& learning_rate) override;
  void update_step(size_t index, const Tensor& gradient, Variable& variable,
                   const Tensor& learning_rate) override;
  bool decays_in_update() const override { return true; }

 private:
  bool takes_adam(const Variable& variable) const;
  void adam_step(const Tensor& gradient, Variable& variable, Variable& m, Variable& v);
  Tensor orthogonalized(Tensor x) const;

  std::vector<Variable> momentums_;
  std::vector<Variable> velocities_;  // none for those that take Muon's steps
  backend::ProgramRef scalar_program_, adam_program_, momentum_program_;
  Tensor alpha_;  // Adam's rate in the update under way
};

using Muon = Ref<MuonOptimizer>;  ///< a shared MuonOptimizer, made from its options

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::MuonOptimizer, optimizers::MuonConfig>;
}
