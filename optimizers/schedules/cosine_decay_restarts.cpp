// The rate of CosineDecayRestarts.
#include "cosine_decay_restarts.h"

#include <cmath>
#include <numbers>

namespace cornu::optimizers::schedules {

CosineDecayRestartsSchedule::CosineDecayRestartsSchedule(CosineDecayRestartsConfig c)
    : Configured(std::move(c)) {
  check_steps("first_decay_steps", *config.first_decay_steps);
}

float CosineDecayRestartsSchedule::rate(double step, bool) const {
  const auto number = [](const Number& n) { return static_cast<float>(static_cast<double>(n)); };
  const float initial = number(*config.initial_learning_rate);
  const float t_mul = number(config.t_mul), alpha = number(config.alpha);
  float p = static_cast<float>(step) / number(*config.first_decay_steps), restarts;
  if (t_mul == 1) {
    restarts = std::floor(p);
    p -= restarts;
  } else {
    // The first steps of all cycles are the partial sums of a geometric series.
    restarts = std::floor(std::log(1 - p * (1 - t_mul)) / std::log(t_mul));
    const float length = std::pow(t_mul, restarts);
    p = (p - (1 - length) / (1 - t_mul)) / length;
  }
  const float peak = std::pow(number(config.m_mul), restarts);
  const float cosine = 0.5f * peak * (1 + std::cos(std::numbers::pi_v<float> * p));
  return initial * ((1 - alpha) * cosine + alpha);
}

void register_cosine_decay_restarts(Catalog& c) {
  c.add<CosineDecayRestartsSchedule>("keras.optimizers.schedules.CosineDecayRestarts");
}

}  // namespace cornu::optimizers::schedules

namespace cornu {
template class Configured<optimizers::schedules::CosineDecayRestartsSchedule,
                          optimizers::schedules::CosineDecayRestartsConfig,
                          optimizers::schedules::HostSchedule>;
}
