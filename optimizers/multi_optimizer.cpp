// Steps by several optimizers.
#include "multi_optimizer.h"

#include <fmt/core.h>

#include "../framework/base/loss_scaling.h"
#include "../framework/ops/operators.h"

namespace cornu::optimizers {
namespace {

OptimizerOptions own_options(const MultiOptimizerConfig& config) {
  OptimizerOptions options;
  options.name = config.name;
  options.learning_rate = 0.0;
  options.loss_scale_factor = config.loss_scale_factor;
  return options;
}

}  // namespace

OptimizerGroup::OptimizerGroup(MultiOptimizerConfig c)
    : CompositeOptimizer(own_options(c)), config(std::move(c)) {
  if (!*config.optimizer_map) throw ValueError("MultiOptimizer: optimizer_map is empty.");
  const auto add = [&](const std::shared_ptr<Optimizer>& optimizer) {
    if (dynamic_cast<OptimizerGroup*>(optimizer.get()) ||
        dynamic_cast<LossScaling*>(optimizer.get()))
      throw ValueError(fmt::format(
          "MultiOptimizer: '{}' cannot be one of its optimizers. Put a LossScaleOptimizer around "
          "the MultiOptimizer, and several optimizers into one map.",
          optimizer->name()));
    if (std::find(optimizers_.begin(), optimizers_.end(), optimizer) == optimizers_.end())
      optimizers_.push_back(optimizer);
  };
  const OptimizerMapConfig& map = (*config.optimizer_map)->config;
  for (const auto& [path, optimizer] : map.optimizer_map) add(optimizer.shared());
  add(map.default_optimizer->shared());
}

Value::Dict OptimizerGroup::get_config() const { return to_dict(config); }

std::shared_ptr<OptimizerGroup> OptimizerGroup::from_config(const Value::Dict& dict) {
  return std::make_shared<OptimizerGroup>(from_dict<MultiOptimizerConfig>(dict));
}

void OptimizerGroup::build_slots(const std::vector<Variable>& variables) {
  for (const auto& optimizer : optimizers_) {
    std::vector<Variable> own;
    for (const Variable& v : variables)
      if ((*config.optimizer_map)->find(v.path()) == optimizer) own.push_back(v);
    if (!own.empty()) optimizer->build(own);
  }
}

void OptimizerGroup::apply(const std::vector<Tensor>& gradients,
                           const std::vector<Variable>& variables) {
  if (gradients.size() != variables.size())
    throw ValueError(
        fmt::format("Optimizer '{}': expected one gradient for each of the {} variables, found {}.",
                    name(), variables.size(), gradients.size()));
  if (gradients.empty()) return;
  if (!built()) build(variables);
  for (const auto& optimizer : optimizers_) {
    const double factor =
        optimizer->options().loss_scale_factor.value_or(1) / config.loss_scale_factor.value_or(1);
    std::vector<Tensor> own_gradients;
    std::vector<Variable> own;
    for (size_t i = 0; i < variables.size(); ++i) {
      if ((*config.optimizer_map)->find(variables[i].path()) != optimizer) continue;
      const Tensor& g = gradients[i];
      own.push_back(variables[i]);
      // What is the new value of its variable was not scaled with the loss.
      const bool scaled = g && factor != 1 && !variables[i].overwrite_with_gradient();
      own_gradients.push_back(scaled ? g * Tensor(factor) : g);
    }
    if (!own.empty()) optimizer->apply(own_gradients, own);
  }
  Variable(steps()).assign_add(Tensor(1));
}

double OptimizerGroup::learning_rate() const {
  throw StateError(fmt::format(
      "Optimizer '{}' has no learning rate. Ask those that it is made of: optimizers().", name()));
}

void OptimizerGroup::set_learning_rate(double) {
  throw StateError(fmt::format(
      "Optimizer '{}' has no learning rate. Set that of those that it is made of: optimizers().",
      name()));
}

std::vector<Variable> OptimizerGroup::variables() const {
  std::vector<Variable> all = Optimizer::variables();
  for (const auto& optimizer : optimizers_)
    for (const Variable& v : optimizer->variables()) all.push_back(v);
  return all;
}

void OptimizerGroup::finalize_variable_values() {
  for (const auto& optimizer : optimizers_)
    if (optimizer->built()) optimizer->finalize_variable_values();
}

void register_multi_optimizer(Catalog& c) {
  c.add<OptimizerGroup>("keras.optimizers.MultiOptimizer");
  c.add_alias("keras.optimizers", "multioptimizer", "MultiOptimizer");
}

}  // namespace cornu::optimizers
