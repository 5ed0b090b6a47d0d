// MultiOptimizer: different optimizers for different variables.
#pragma once
#include "../framework/base/composite_optimizer.h"
#include "optimizer_map.h"

namespace cornu::optimizers {

/// Options of MultiOptimizer.
struct MultiOptimizerConfig {
  Required<Choice<PathMap>> optimizer_map;  ///< an OptimizerMap: which optimizer a variable has
  /// In place of those of the optimizers.
  std::optional<double> loss_scale_factor = {};
  std::string name = "multi_optimizer";  ///< name of the optimizer
};

/// Each variable is updated by the optimizer that the map has for its path. It has no learning rate
/// of its own: asking for it or setting it throws StateError.
class OptimizerGroup : public CompositeOptimizer {
 public:
  using Config = MultiOptimizerConfig;  ///< the options

  /// Throws ValueError for a map with a MultiOptimizer or a LossScaleOptimizer in it.
  explicit OptimizerGroup(MultiOptimizerConfig c);
  Value::Dict get_config() const override;
  /// One from its config, without state. Throws ValueError for missing, unknown or wrong options.
  static std::shared_ptr<OptimizerGroup> from_config(const Value::Dict& dict);

  using Optimizer::apply;
  void apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& variables) override;
  double learning_rate() const override;
  void set_learning_rate(double value) override;
  /// Its own (iteration, learning rate), then those of each optimizer.
  std::vector<Variable> variables() const override;
  using Optimizer::finalize_variable_values;
  void finalize_variable_values() override;

  /// Those of the map, without repetition, and the default one.
  const std::vector<std::shared_ptr<Optimizer>>& optimizers() const override { return optimizers_; }
  MultiOptimizerConfig config;  ///< as given

 protected:
  void build_slots(const std::vector<Variable>& variables) override;
  void update_step(size_t, const Tensor&, Variable&, const Tensor&) override {}

 private:
  std::vector<std::shared_ptr<Optimizer>> optimizers_;
};

using MultiOptimizer = Ref<OptimizerGroup>;  ///< a shared OptimizerGroup, made from its options

}  // namespace cornu::optimizers
