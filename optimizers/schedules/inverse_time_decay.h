// InverseTimeDecay: a rate that falls as one over the steps.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

/// Options of InverseTimeDecay.
struct InverseTimeDecayConfig {
  Required<Number> initial_learning_rate;  ///< rate at step 0
  Required<Number> decay_steps;            ///< steps in which the denominator grows by decay_rate
  Required<Number> decay_rate;             ///< growth of the denominator in decay_steps
  bool staircase = false;                  ///< decay in jumps, every decay_steps steps
  std::string name = "InverseTimeDecay";   ///< name of the schedule
};

/// initial_learning_rate / (1 + decay_rate * step / decay_steps); with staircase the quotient is
/// rounded down.
class InverseTimeDecaySchedule
    : public Configured<InverseTimeDecaySchedule, InverseTimeDecayConfig, HostSchedule> {
 public:
  /// Throws ValueError unless decay_steps is positive.
  explicit InverseTimeDecaySchedule(InverseTimeDecayConfig c);

 protected:
  /// The formula above; `whole` changes nothing.
  float rate(double step, bool whole) const override;
};

/// A shared InverseTimeDecaySchedule, made from its options.
using InverseTimeDecay = Ref<InverseTimeDecaySchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::InverseTimeDecaySchedule,
                                 optimizers::schedules::InverseTimeDecayConfig,
                                 optimizers::schedules::HostSchedule>;
}
