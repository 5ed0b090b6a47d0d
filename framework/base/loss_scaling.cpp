// Steps with scaled gradients.
#include "loss_scaling.h"

#include <fmt/core.h>

#include "../ops/elementwise.h"
#include "../ops/numpy/creation.h"
#include "../ops/numpy/indexing.h"
#include "../ops/operators.h"
#include "loss.h"

namespace cornu {
namespace {

OptimizerOptions own_options(const std::string& name) {
  OptimizerOptions options;
  options.name = name;
  options.learning_rate = 0.0;
  return options;
}

// Whether all elements are finite, as a scalar 1 or 0.
Tensor all_finite(const Tensor& x) {
  static const backend::ProgramRef program = backend::Program::make(
      1,
      [](const std::vector<Expr>& x) { return std::vector<Expr>{expr::equal(x[0] - x[0], 0.0)}; });
  return reduce_program(program, {&x, 1}, {}, 1, DType::float32, "LossScaleOptimizer",
                        backend::ReduceOp::minimum);
}

}  // namespace

LossScaling::LossScaling(LossScalingConfig c)
    : Optimizer(own_options(c.name)), config(std::move(c)) {
  if (!*config.inner_optimizer)
    throw ValueError("LossScaleOptimizer: inner_optimizer is empty. Give the optimizer to wrap.");
  if (!(config.initial_scale > 0))
    throw ValueError(fmt::format("LossScaleOptimizer: initial_scale must be positive, found {}.",
                                 config.initial_scale));
  if (config.dynamic_growth_steps < 1)
    throw ValueError(
        fmt::format("LossScaleOptimizer: dynamic_growth_steps must be at least 1, found {}.",
                    config.dynamic_growth_steps));
}

Value::Dict LossScaling::get_config() const {
  return {{"name", config.name},
          {"inner_optimizer", serialize(*inner_optimizer())},
          {"initial_scale", config.initial_scale},
          {"dynamic_growth_steps", config.dynamic_growth_steps}};
}

std::shared_ptr<LossScaling> LossScaling::from_config(const Value::Dict& dict) {
  static const std::vector<const char*> unset = {"weight_decay",
                                                 "clipnorm",
                                                 "global_clipnorm",
                                                 "clipvalue",
                                                 "ema_overwrite_frequency",
                                                 "loss_scale_factor",
                                                 "gradient_accumulation_steps"};
  Value::Dict own;
  for (const auto& [key, value] : dict) {
    const bool empty = value.is_null() && std::find(unset.begin(), unset.end(), key) != unset.end();
    const bool no_ema = key == "use_ema" && value.is<bool>() && !value.get<bool>();
    const bool dynamic = key == "dynamic" && value.is<bool>() && value.get<bool>();
    const bool momentum = key == "ema_momentum" && value.is_number() && value.number() == 0.99;
    if (!empty && !no_ema && !dynamic && !momentum) own.emplace_back(key, value);
  }
  return std::make_shared<LossScaling>(from_dict<LossScalingConfig>(own));
}

void LossScaling::build_slots(const std::vector<Variable>&) {
  const int64_t zero = 0;
  step_counter_ = add_state(Tensor::from_host(&zero, Shape{}), "step_counter");
  dynamic_scale_ = add_state(ops::full({}, Tensor(config.initial_scale)), "dynamic_scale");
}

void LossScaling::build(const std::vector<Variable>& variables) {
  // First, as it may refuse them.
  inner_optimizer()->build(variables);
  Optimizer::build(variables);
}

std::vector<Variable> LossScaling::variables() const {
  std::vector<Variable> all = Optimizer::variables();
  const std::vector<Variable> inner = inner_optimizer()->variables();
  all.insert(all.end(), inner.begin(), inner.end());
  return all;
}

double LossScaling::learning_rate() const { return inner_optimizer()->learning_rate(); }

void LossScaling::set_learning_rate(double value) { inner_optimizer()->set_learning_rate(value); }

// float16 has no normal numbers below 6e-5: without a scale, small gradients would become 0.
Tensor LossScaling::scale_loss(const Tensor& loss) {
  return loss * (built() ? dynamic_scale_.value() : Tensor(config.initial_scale));
}

void LossScaling::finalize_variable_values() { inner_optimizer()->finalize_variable_values(); }

void LossScaling::finalize_variable_values(const std::vector<Variable>& var_list) {
  inner_optimizer()->finalize_variable_values(var_list);
}

// Which steps count is decided by tensors, not by the program, so that one recording serves all:
// the inner optimizer always steps, and what it changed is kept or taken back.
void LossScaling::apply(const std::vector<Tensor>& gradients,
                        const std::vector<Variable>& variables) {
  if (gradients.empty()) return;
  if (!built()) build(variables);
  Tensor finite;
  for (const Tensor& g : gradients) {
    if (!g) continue;
    const Tensor one = all_finite(g);
    finite = finite ? finite * one : one;
  }
  const double own_factor = inner_optimizer()->options().loss_scale_factor.value_or(1);
  std::vector<Tensor> unscaled = gradients;
  for (size_t i = 0; i < unscaled.size() && i < variables.size(); ++i) {
    // What is the new value of its variable was not scaled with the loss.
    if (!unscaled[i] || variables[i].overwrite_with_gradient()) continue;
    unscaled[i] = fused([](Expr g, Expr scale, Expr factor) { return g / scale * factor; },
                        unscaled[i], dynamic_scale_.value(), Tensor(own_factor));
  }
  std::vector<Variable> changing = variables;
  for (const Variable& v : inner_optimizer()->variables()) changing.push_back(v);
  std::vector<Tensor> before;
  for (const Variable& v : changing) before.push_back(v.value());
  inner_optimizer()->apply(unscaled, variables);
  for (size_t i = 0; i < changing.size(); ++i)
    changing[i].assign(ops::where(finite, changing[i].value(), before[i]));

  const Tensor count = step_counter_.value();
  const Tensor full = ops::equal(count, Tensor(config.dynamic_growth_steps - 1));
  dynamic_scale_.assign(fused(
      [](Expr scale, Expr finite, Expr full) {
        return scale * expr::select(finite, expr::select(full, 2.0, 1.0), 0.5);
      },
      dynamic_scale_.value(), finite, full));
  const Tensor next = ops::where(full, Tensor(0), count + Tensor(1));
  step_counter_.assign(ops::where(finite, next, Tensor(0)));
}

}  // namespace cornu
