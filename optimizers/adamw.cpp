// AdamW as a case of Adam.
#include "adamw.h"

#include <fmt/core.h>

namespace cornu::optimizers {

AdamWOptimizer::AdamWOptimizer(AdamWConfig c) : OptimizerOf(std::move(c)) {
  if (!config.weight_decay)
    throw ValueError(
        fmt::format("Optimizer '{}': weight_decay must be a number. Use Adam to go "
                    "without.",
                    name()));
  moments_ = {config.beta_1, config.beta_2, config.epsilon, config.amsgrad};
}

void register_adamw(Catalog& c) {
  c.add<AdamWOptimizer>("keras.optimizers.AdamW");
  c.add_alias("keras.optimizers", "adamw", "AdamW");
}

}  // namespace cornu::optimizers

namespace cornu {
template class OptimizerOf<optimizers::AdamWOptimizer, optimizers::AdamWConfig,
                           optimizers::AdamUpdate>;
}
