// The rate of ExponentialDecay.
#include "exponential_decay.h"

#include <cmath>

namespace cornu::optimizers::schedules {

ExponentialDecaySchedule::ExponentialDecaySchedule(ExponentialDecayConfig c)
    : Configured(std::move(c)) {
  check_steps("decay_steps", *config.decay_steps);
}

float ExponentialDecaySchedule::rate(double step, bool) const {
  const auto number = [](const Number& n) { return static_cast<float>(static_cast<double>(n)); };
  const float initial = number(*config.initial_learning_rate);
  float p = static_cast<float>(step) / number(*config.decay_steps);
  if (config.staircase) p = std::floor(p);
  return initial * std::pow(number(*config.decay_rate), p);
}

void register_exponential_decay(Catalog& c) {
  c.add<ExponentialDecaySchedule>("keras.optimizers.schedules.ExponentialDecay");
}

}  // namespace cornu::optimizers::schedules

namespace cornu {
template class Configured<optimizers::schedules::ExponentialDecaySchedule,
                          optimizers::schedules::ExponentialDecayConfig,
                          optimizers::schedules::HostSchedule>;
}
