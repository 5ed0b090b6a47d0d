// The rate of InverseTimeDecay.
#include "inverse_time_decay.h"

#include <cmath>

namespace cornu::optimizers::schedules {

InverseTimeDecaySchedule::InverseTimeDecaySchedule(InverseTimeDecayConfig c)
    : Configured(std::move(c)) {
  check_steps("decay_steps", *config.decay_steps);
}

float InverseTimeDecaySchedule::rate(double step, bool) const {
  const auto number = [](const Number& n) { return static_cast<float>(static_cast<double>(n)); };
  const float initial = number(*config.initial_learning_rate);
  float p = static_cast<float>(step) / number(*config.decay_steps);
  if (config.staircase) p = std::floor(p);
  return initial / (1 + number(*config.decay_rate) * p);
}

void register_inverse_time_decay(Catalog& c) {
  c.add<InverseTimeDecaySchedule>("keras.optimizers.schedules.InverseTimeDecay");
}

}  // namespace cornu::optimizers::schedules

namespace cornu {
template class Configured<optimizers::schedules::InverseTimeDecaySchedule,
                          optimizers::schedules::InverseTimeDecayConfig,
                          optimizers::schedules::HostSchedule>;
}
