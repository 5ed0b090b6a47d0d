// The update of SGD.
#include "sgd.h"

#include <fmt/core.h>

namespace cornu::optimizers {

SGDOptimizer::SGDOptimizer(SGDConfig c) : OptimizerOf(std::move(c)) {
  if (!(config.momentum >= 0 && config.momentum <= 1))
    throw ValueError(fmt::format("Optimizer '{}': momentum must be in [0, 1], found {}.", name(),
                                 config.momentum));
}

SGDOptimizer::SlotGroups SGDOptimizer::slot_groups() const {
  if (config.momentum == 0) return {};
  return {{{"momentum"}}};
}

std::vector<Expr> SGDOptimizer::formula(const UpdateTerms& t) const {
  Expr step = t.gradient * t.scalars[0];
  if (config.momentum == 0) return {t.variable - step};
  Expr m = t.slots[0] * config.momentum - step;
  return {t.variable + (config.nesterov ? m * config.momentum - step : m), m};
}

void register_sgd(Catalog& c) { c.add<SGDOptimizer>("keras.optimizers.SGD"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::SGDOptimizer, optimizers::SGDConfig,
                           optimizers::ElementwiseOptimizer>;
}
