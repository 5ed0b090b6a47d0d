// The update of Ftrl.
#include "ftrl.h"

#include <fmt/core.h>

namespace cornu::optimizers {

FtrlOptimizer::FtrlOptimizer(FtrlConfig c) : OptimizerOf(std::move(c)) {
  const auto check = [&](bool holds, const char* option, const char* wanted, double found) {
    if (!holds)
      throw ValueError(
          fmt::format("Optimizer '{}': {} must be {}, found {}.", name(), option, wanted, found));
  };
  const auto check_min = [&](const char* option, double value) {
    check(value >= 0, option, "at least 0", value);
  };
  check(config.learning_rate_power <= 0, "learning_rate_power", "at most 0",
        config.learning_rate_power);
  check_min("initial_accumulator_value", config.initial_accumulator_value);
  check_min("l1_regularization_strength", config.l1_regularization_strength);
  check_min("l2_regularization_strength", config.l2_regularization_strength);
  check_min("l2_shrinkage_regularization_strength", config.l2_shrinkage_regularization_strength);
}

FtrlOptimizer::SlotGroups FtrlOptimizer::slot_groups() const {
  return {{{"accumulator", config.initial_accumulator_value}, {"linear"}}};
}

std::vector<Expr> FtrlOptimizer::formula(const UpdateTerms& t) const {
  const double power = -config.learning_rate_power, l1 = config.l1_regularization_strength;
  const Expr g = t.gradient, w = t.variable, rate = t.scalars[0];
  const auto raised = [&](Expr x) { return power == 0.5 ? expr::sqrt(x) : expr::power(x, power); };
  Expr h = g + 2 * config.l2_shrinkage_regularization_strength * w;
  Expr sum = t.slots[0] + expr::square(g);
  Expr z = t.slots[1] + (h - (raised(sum) - raised(t.slots[0])) / rate * w);
  Expr l2 = config.l2_regularization_strength + config.beta / (2.0 * rate);
  Expr clipped = expr::minimum(expr::maximum(z, -l1), l1);
  return {(clipped - z) / (raised(sum) / rate + 2.0 * l2), sum, z};
}

void register_ftrl(Catalog& c) { c.add<FtrlOptimizer>("keras.optimizers.Ftrl"); }

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::FtrlOptimizer, optimizers::FtrlConfig,
                           optimizers::ElementwiseOptimizer>;
}
