// The update of RMSprop.
#include "rmsprop.h"

namespace cornu::optimizers {

RMSpropOptimizer::SlotGroups RMSpropOptimizer::slot_groups() const {
  SlotGroups groups = {{{"velocity"}}};
  if (config.momentum > 0) groups.push_back({{"momentum"}});
  if (config.centered) groups.push_back({{"average_gradient"}});
  return groups;
}

std::vector<Expr> RMSpropOptimizer::formula(const UpdateTerms& t) const {
  const double rho = config.rho;
  const Expr g = t.gradient, rate = t.scalars[0];
  Expr v = rho * t.slots[0] + (1 - rho) * expr::square(g);
  std::vector<Expr> slots = {v};
  Expr spread = v;
  if (config.centered) {
    Expr mean = rho * t.slots.back() + (1 - rho) * g;
    slots.push_back(mean);
    spread = v - expr::square(mean);
  }
  Expr step = rate * g / expr::sqrt(spread + config.epsilon);
  if (config.momentum > 0) {
    step = config.momentum * t.slots[1] + step;
    slots.insert(slots.begin() + 1, step);
  }
  slots.insert(slots.begin(), t.variable - step);
  return slots;
}

void register_rmsprop(Catalog& c) {
  c.add<RMSpropOptimizer>("keras.optimizers.RMSprop");
  c.add_alias("keras.optimizers", "rmsprop", "RMSprop");
}

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::RMSpropOptimizer, optimizers::RMSpropConfig,
                           optimizers::ElementwiseOptimizer>;
}
