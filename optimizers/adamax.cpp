// The update of Adamax.
#include "adamax.h"

namespace cornu::optimizers {

AdamaxOptimizer::SlotGroups AdamaxOptimizer::slot_groups() const {
  return {{{"momentum"}, {"norm"}}};
}

std::vector<Expr> AdamaxOptimizer::scalars(const ScalarTerms& t) const {
  return {t.rate, 1.0 - expr::power(config.beta_1, t.step)};
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
