// The update of Adagrad.
#include "adagrad.h"

namespace cornu::optimizers {

AdagradOptimizer::SlotGroups AdagradOptimizer::slot_groups() const {
  return {{{"accumulator", config.initial_accumulator_value}}};
}

std::vector<Expr> AdagradOptimizer::formula(const UpdateTerms& t) const {
  Expr sum = t.slots[0] + expr::square(t.gradient);
  return {t.variable - t.scalars[0] * t.gradient / expr::sqrt(sum + config.epsilon), sum};
}

void register_adagrad(Catalog& c) { c.add<AdagradOptimizer>("keras.optimizers.Adagrad"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::AdagradOptimizer, optimizers::AdagradConfig,
                           optimizers::ElementwiseOptimizer>;
}
