// The update of Adadelta.
#include "adadelta.h"

namespace cornu::optimizers {

AdadeltaOptimizer::SlotGroups AdadeltaOptimizer::slot_groups() const {
  return {{{"accumulated_grad"}, {"accumulated_delta_var"}}};
}

std::vector<Expr> AdadeltaOptimizer::formula(const UpdateTerms& t) const {
  const double rho = config.rho;
  const auto rms = [&](Expr x) { return expr::sqrt(x + config.epsilon); };
  Expr squares = rho * t.slots[0] + (1 - rho) * expr::square(t.gradient);
  Expr step = rms(t.slots[1]) * t.gradient / rms(squares);
  return {t.variable - t.scalars[0] * step, squares,
          rho * t.slots[1] + (1 - rho) * expr::square(step)};
}

void register_adadelta(Catalog& c) { c.add<AdadeltaOptimizer>("keras.optimizers.Adadelta"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::AdadeltaOptimizer, optimizers::AdadeltaConfig,
                           optimizers::ElementwiseOptimizer>;
}
