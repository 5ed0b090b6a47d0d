// The update of Adamax.
#include "adamax.h"

#include <cmath>

namespace cornu::optimizers {

AdamaxOptimizer::SlotGroups AdamaxOptimizer::slot_groups() const {
  return {{{"momentum"}, {"norm"}}};
}

AdamaxOptimizer::Scalars AdamaxOptimizer::scalars(double learning_rate, int64_t step,
                                                  bool wide) const {
  const double power = wide ? std::pow(config.beta_1, static_cast<double>(step))
                            : std::pow(static_cast<float>(config.beta_1), static_cast<float>(step));
  return {learning_rate, 1 - power};
}

std::vector<Expr> AdamaxOptimizer::formula(const UpdateTerms& t) const {
  const Expr g = t.gradient, rate = t.scalars[0], correction = t.scalars[1];
  Expr m = t.slots[0] + (g - t.slots[0]) * (1 - config.beta_1);
  Expr u = expr::maximum(config.beta_2 * t.slots[1], expr::absolute(g));
  return {t.variable - rate * m / (correction * (u + config.epsilon)), m, u};
}

void register_adamax(Catalog& c) { c.add<AdamaxOptimizer>("keras.optimizers.Adamax"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::AdamaxOptimizer, optimizers::AdamaxConfig,
                           optimizers::ElementwiseOptimizer>;
}
