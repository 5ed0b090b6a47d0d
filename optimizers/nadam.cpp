// The update of Nadam.
#include "nadam.h"

#include "../framework/ops/elementwise.h"
#include "../framework/ops/numpy/creation.h"
#include "../framework/ops/operators.h"

namespace cornu::optimizers {

NadamOptimizer::SlotGroups NadamOptimizer::slot_groups() const {
  return {{{"momentum"}, {"velocity"}}};
}

void NadamOptimizer::build_slots(const std::vector<Variable>& variables) {
  ElementwiseOptimizer::build_slots(variables);
  const DType dtype = variables.empty() ? DType::float32 : variables[0].dtype();
  product_ = add_state(ops::ones({}, dtype), "u_product");
}

// The momentum of step `t`, which grows toward beta_1.
static Expr momentum_at(double beta_1, Expr t) {
  return beta_1 * (1.0 - 0.5 * expr::power(0.96, t));
}

void NadamOptimizer::begin_update(const Tensor& learning_rate) {
  ElementwiseOptimizer::begin_update(learning_rate);
  if (!product_program_)
    product_program_ =
        backend::Program::make(2, [&](const std::vector<Expr>& x) -> std::vector<Expr> {
          return {x[0] * momentum_at(config.beta_1, update_number(x[1]))};
        });
  const Tensor inputs[] = {product_.value(), steps().value()};
  product_.assign(detail::apply_fused_many(product_program_, inputs, product_.dtype(), "nadam")[0]);
}

Tensors NadamOptimizer::scalar_inputs() const { return {product_.value()}; }

std::vector<Expr> NadamOptimizer::scalars(const ScalarTerms& t) const {
  Expr now = momentum_at(config.beta_1, t.step), next = momentum_at(config.beta_1, t.step + 1.0);
  Expr product = t.extra[0], power = expr::power(config.beta_2, t.step);
  return {t.rate, next, 1.0 - product * next, 1.0 - now, 1.0 - product, 1.0 - power};
}

std::vector<Expr> NadamOptimizer::formula(const UpdateTerms& t) const {
  const Expr g = t.gradient, rate = t.scalars[0];
  const double beta_1 = t.rounded(config.beta_1), beta_2 = t.rounded(config.beta_2);
  Expr m = t.slots[0] + (g - t.slots[0]) * t.rounded(1 - beta_1);
  Expr v = t.slots[1] + (expr::square(g) - t.slots[1]) * t.rounded(1 - beta_2);
  Expr ahead = t.scalars[1] * m / t.scalars[2] + t.scalars[3] * g / t.scalars[4];
  return {t.variable - ahead * rate / (expr::sqrt(v / t.scalars[5]) + config.epsilon), m, v};
}

void register_nadam(Catalog& c) { c.add<NadamOptimizer>("keras.optimizers.Nadam"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::NadamOptimizer, optimizers::NadamConfig,
                           optimizers::ElementwiseOptimizer>;
}
