// The update of ScheduleFreeAdamW.
#include "schedule_free_adamw.h"

namespace cornu::optimizers {

ScheduleFreeAdamWOptimizer::SlotGroups ScheduleFreeAdamWOptimizer::slot_groups() const {
  return {{{.name = "momentum", .of_variable = true}, {.name = "velocity"}}};
}

std::vector<Expr> ScheduleFreeAdamWOptimizer::scalars(const ScalarTerms& t) const {
  Expr rate = t.rate;
  if (config.warmup_steps > 0)
    rate = rate * expr::minimum(t.step / static_cast<double>(config.warmup_steps), 1.0);
  return {rate, 1.0 - expr::power(config.beta_2, t.step), 1.0 / t.step};
}

std::vector<Expr> ScheduleFreeAdamWOptimizer::formula(const UpdateTerms& t) const {
  const Expr g = t.gradient, weight = t.scalars[2];
  const double beta_1 = t.rounded(config.beta_1), beta_2 = t.rounded(config.beta_2);
  Expr v = t.slots[1] + (expr::square(g) - t.slots[1]) * t.rounded(1 - beta_2);
  Expr root = expr::sqrt(v / t.scalars[1]) + t.rounded(config.epsilon);
  Expr z = t.slots[0] - t.scalars[0] * g / root;
  Expr x = (t.variable - t.slots[0] * t.rounded(1 - beta_1)) / beta_1;
  Expr next = (1.0 - weight) * x + weight * z;
  return {z * t.rounded(1 - beta_1) + next * beta_1, z, v};
}

void register_schedule_free_adamw(Catalog& c) {
  c.add<ScheduleFreeAdamWOptimizer>("keras.optimizers.ScheduleFreeAdamW");
  c.add_alias("keras.optimizers", "schedulefreeadamw", "ScheduleFreeAdamW");
}

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::ScheduleFreeAdamWOptimizer,
                           optimizers::ScheduleFreeAdamWConfig, optimizers::ElementwiseOptimizer>;
}
