// PolynomialDecay: a rate that falls along a power of the steps left.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

struct PolynomialDecayConfig {
  Required<Number> initial_learning_rate;
  Required<Number> decay_steps;
  Number end_learning_rate = 0.0001;
  Number power = 1.0;
  bool cycle = false;
  std::string name = "PolynomialDecay";
};

/// (initial - end) * (1 - p)^power + end with p = min(step / decay_steps, 1). With cycle,
/// decay_steps grows to the next multiple that holds the step instead.
class PolynomialDecaySchedule
    : public Configured<PolynomialDecaySchedule, PolynomialDecayConfig, HostSchedule> {
 public:
  explicit PolynomialDecaySchedule(PolynomialDecayConfig c);

 protected:
  float rate(double step, bool whole) const override;
};

using PolynomialDecay = Ref<PolynomialDecaySchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::PolynomialDecaySchedule,
                                 optimizers::schedules::PolynomialDecayConfig,
                                 optimizers::schedules::HostSchedule>;
}
