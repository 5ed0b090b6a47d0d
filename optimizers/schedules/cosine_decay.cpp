// The rate of CosineDecay.
#include "cosine_decay.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace cornu::optimizers::schedules {

CosineDecaySchedule::CosineDecaySchedule(CosineDecayConfig c) : Configured(std::move(c)) {
  check_steps("decay_steps", *config.decay_steps);
}

float CosineDecaySchedule::rate(double step, bool) const {
  const auto number = [](const Number& n) { return static_cast<float>(static_cast<double>(n)); };
  const float initial = number(*config.initial_learning_rate);
  const float steps = number(*config.decay_steps), alpha = number(config.alpha);
  const auto decay = [&](float s, float peak) {
    const float cosine = 0.5f * (1 + std::cos(std::numbers::pi_v<float> * (s / steps)));
    return peak * ((1 - alpha) * cosine + alpha);
  };
  const float s = static_cast<float>(step);
  if (!config.warmup_target) return decay(std::min(s, steps), initial);
  const float target = number(*config.warmup_target), warmup = number(config.warmup_steps);
  if (s < warmup) return (target - initial) * (s / warmup) + initial;
  return decay(std::min(s - warmup, steps), target);
}

void register_cosine_decay(Catalog& c) {
  c.add<CosineDecaySchedule>("keras.optimizers.schedules.CosineDecay");
}

}  // namespace cornu::optimizers::schedules

namespace cornu {
template class Configured<optimizers::schedules::CosineDecaySchedule,
                          optimizers::schedules::CosineDecayConfig,
                          optimizers::schedules::HostSchedule>;
}
