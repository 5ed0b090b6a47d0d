// The update of Adam.
#include "adam.h"

#include <cmath>

namespace cornu::optimizers {

namespace {

// The learning rate with the corrections of both means, which begin at zero.
template <class T>
double corrected_rate(double learning_rate, double beta_1, double beta_2, int64_t step) {
  const T t = static_cast<T>(step);
  const T power_1 = std::pow(static_cast<T>(beta_1), t);
  const T power_2 = std::pow(static_cast<T>(beta_2), t);
  return static_cast<T>(learning_rate) * std::sqrt(1 - power_2) / (1 - power_1);
}

}  // namespace

AdamUpdate::SlotGroups AdamUpdate::slot_groups() const {
  SlotGroups groups = {{{"momentum"}, {"velocity"}}};
  if (moments_.amsgrad) groups.push_back({{"velocity_hat"}});
  return groups;
}

AdamUpdate::Scalars AdamUpdate::scalars(double learning_rate, int64_t step, bool wide) const {
  const auto& [beta_1, beta_2, epsilon, amsgrad] = moments_;
  return {wide ? corrected_rate<double>(learning_rate, beta_1, beta_2, step)
               : corrected_rate<float>(learning_rate, beta_1, beta_2, step)};
}

std::vector<Expr> AdamUpdate::formula(const UpdateTerms& t) const {
  const auto& [beta_1, beta_2, epsilon, amsgrad] = moments_;
  const Expr g = t.gradient, rate = t.scalars[0];
  Expr m = expr::lerp(t.slots[0], g, 1 - beta_1);
  Expr v = expr::lerp(t.slots[1], expr::square(g), 1 - beta_2);
  Expr largest = amsgrad ? expr::maximum(t.slots[2], v) : v;
  Expr w = t.variable - expr::over_root(m * rate, largest, epsilon);
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
