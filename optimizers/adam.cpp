// The update of Adam.
#include "adam.h"

namespace cornu::optimizers {

AdamUpdate::SlotGroups AdamUpdate::slot_groups() const {
  SlotGroups groups = {{{"momentum"}, {"velocity"}}};
  if (moments_.amsgrad) groups.push_back({{"velocity_hat"}});
  return groups;
}

// The learning rate with the corrections of both means, which begin at zero.
std::vector<Expr> AdamUpdate::scalars(const ScalarTerms& t) const {
  Expr power_1 = expr::power(moments_.beta_1, t.step),
       power_2 = expr::power(moments_.beta_2, t.step);
  return {t.rate * expr::sqrt(1.0 - power_2) / (1.0 - power_1)};
}

std::vector<Expr> AdamUpdate::formula(const UpdateTerms& t) const {
  const auto& [beta_1, beta_2, epsilon, amsgrad] = moments_;
  const Expr g = t.gradient, rate = t.scalars[0];
  Expr m = expr::lerp(t.slots[0], g, 1 - beta_1);
  Expr v = expr::lerp(t.slots[1], expr::square(g), 1 - beta_2);
  Expr largest = amsgrad ? expr::maximum(t.slots[2], v) : v;
  Expr w = t.variable - expr::div_sqrt_eps(m * rate, largest, epsilon);
  if (amsgrad) return {w, m, v, largest};
  return {w, m, v};
}

AdamOptimizer::AdamOptimizer(AdamConfig c) : OptimizerOf(std::move(c)) {
  moments_ = {config.beta_1, config.beta_2, config.epsilon, config.amsgrad};
}

void register_adam(Catalog& c) { c.add<AdamOptimizer>("keras.optimizers.Adam"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::AdamOptimizer, optimizers::AdamConfig,
                           optimizers::AdamUpdate>;
}
