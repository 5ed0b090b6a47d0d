// InverseTimeDecay: a rate that falls as one over the steps.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

struct InverseTimeDecayConfig {
  Required<Number> initial_learning_rate;
  Required<Number> decay_steps;
  Required<Number> decay_rate;
  bool staircase = false;
  std::string name = "InverseTimeDecay";
};

/// initial_learning_rate / (1 + decay_rate * step / decay_steps); with staircase the quotient is
/// rounded down.
class InverseTimeDecaySchedule
    : public Configured<InverseTimeDecaySchedule, InverseTimeDecayConfig, HostSchedule> {
 public:
  explicit InverseTimeDecaySchedule(InverseTimeDecayConfig c);

 protected:
  float rate(double step, bool whole) const override;
};

using InverseTimeDecay = Ref<InverseTimeDecaySchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::InverseTimeDecaySchedule,
                                 optimizers::schedules::InverseTimeDecayConfig,
                                 optimizers::schedules::HostSchedule>;
}
