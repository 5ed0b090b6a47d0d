// The update of Lion.
#include "lion.h"

#include <fmt/core.h>

namespace cornu::optimizers {

LionOptimizer::LionOptimizer(LionConfig c) : OptimizerOf(std::move(c)) {
  if (!(config.beta_1 > 0 && config.beta_1 <= 1))
    throw ValueError(
        fmt::format("Optimizer '{}': beta_1 must be in (0, 1], found {}: with 0 only the "
                    "sign of the last gradient would count.",
                    name(), config.beta_1));
}

LionOptimizer::SlotGroups LionOptimizer::slot_groups() const { return {{{"momentum"}}}; }

std::vector<Expr> LionOptimizer::formula(const UpdateTerms& t) const {
  const double beta_1 = t.rounded(config.beta_1), beta_2 = t.rounded(config.beta_2);
  const Expr g = t.gradient, m = t.slots[0];
  Expr direction = expr::sign(m * beta_1 + g * t.rounded(1 - beta_1));
  return {t.variable - t.scalars[0] * direction, m * beta_2 + g * t.rounded(1 - beta_2)};
}

void register_lion(Catalog& c) { c.add<LionOptimizer>("keras.optimizers.Lion"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::LionOptimizer, optimizers::LionConfig,
                           optimizers::ElementwiseOptimizer>;
}
