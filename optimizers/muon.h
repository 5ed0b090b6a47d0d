// Muon: steps along the orthogonal matrix that is nearest to the momentum.
#pragma once
#include "../framework/base/number.h"
#include "../framework/base/optimizer.h"

namespace cornu::optimizers {

struct MuonConfig {
  LearningRate learning_rate = 0.001;
  double adam_beta_1 = 0.9;
  double adam_beta_2 = 0.999;
  std::optional<double> adam_weight_decay = 0.004;
  double epsilon = 1e-7;
  std::optional<double> weight_decay = 0.004;
  std::optional<double> clipnorm = {};
  std::optional<double> clipvalue = {};
  std::optional<double> global_clipnorm = {};
  bool use_ema = false;
  double ema_momentum = 0.99;
  std::optional<int64_t> ema_overwrite_frequency = {};
  std::optional<double> loss_scale_factor = {};
  std::optional<int64_t> gradient_accumulation_steps = {};
  std::string name = "muon";
  std::vector<std::string> exclude_layers = {};  ///< regular expressions for paths of variables
  bool exclude_embeddings = true;
  double muon_a = 3.4445;
  double muon_b = -4.7750;
  double muon_c = 2.0315;
  Number adam_lr_ratio = 1;
  double momentum = 0.95;
  int64_t ns_steps = 5;
  bool nesterov = true;
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

using Muon = Ref<MuonOptimizer>;

}  // namespace cornu::optimizers

namespace cornu {
extern template class OptimizerOf<optimizers::MuonOptimizer, optimizers::MuonConfig>;
}
