// The rate of PolynomialDecay.
#include "polynomial_decay.h"

#include <algorithm>
#include <cmath>

namespace cornu::optimizers::schedules {

PolynomialDecaySchedule::PolynomialDecaySchedule(PolynomialDecayConfig c)
    : Configured(std::move(c)) {
  check_steps("decay_steps", *config.decay_steps);
}

float PolynomialDecaySchedule::rate(double step, bool) const {
  const auto number = [](const Number& n) { return static_cast<float>(static_cast<double>(n)); };
  const float initial = number(*config.initial_learning_rate);
  const float end = number(config.end_learning_rate);
  float s = static_cast<float>(step), steps = number(*config.decay_steps);
  if (config.cycle)
    steps *= s == 0 ? 1 : std::ceil(s / steps);
  else
    s = std::min(s, steps);
  return (initial - end) * std::pow(1 - s / steps, number(config.power)) + end;
}

void register_polynomial_decay(Catalog& c) {
  c.add<PolynomialDecaySchedule>("keras.optimizers.schedules.PolynomialDecay");
}

}  // namespace cornu::optimizers::schedules

namespace cornu {
template class Configured<optimizers::schedules::PolynomialDecaySchedule,
                          optimizers::schedules::PolynomialDecayConfig,
                          optimizers::schedules::HostSchedule>;
}
