// The update of Nadam.
#include "nadam.h"

#include <cmath>

#include "../framework/ops/creation.h"
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

void NadamOptimizer::begin_update(double learning_rate) {
  ElementwiseOptimizer::begin_update(learning_rate);
  const auto step = static_cast<double>(update_number());
  const Tensor share(config.beta_1 * (1 - 0.5 * std::pow(0.96, step)));
  product_.assign(product_.value() * share);
}

NadamOptimizer::Scalars NadamOptimizer::scalars(double learning_rate, int64_t step,
                                                bool wide) const {
  return wide ? terms<double>(learning_rate, step) : terms<float>(learning_rate, step);
}

template <class T>
NadamOptimizer::Scalars NadamOptimizer::terms(double learning_rate, int64_t step) const {
  const auto share = [&](int64_t t) {
    return static_cast<T>(config.beta_1) *
           (1 - static_cast<T>(0.5) * std::pow(static_cast<T>(0.96), static_cast<T>(t)));
  };
  const T now = share(step), next = share(step + 1);
  const T product = static_cast<T>(product_ ? product_.value().item() : 0);
  const T power = std::pow(static_cast<T>(config.beta_2), static_cast<T>(step));
  return {learning_rate, next, 1 - product * next, 1 - now, 1 - product, 1 - power};
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
