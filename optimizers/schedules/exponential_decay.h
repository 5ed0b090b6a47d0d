// ExponentialDecay: a rate that falls by a factor every so many steps.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

/// Options of ExponentialDecay.
struct ExponentialDecayConfig {
  Required<Number> initial_learning_rate;  ///< rate at step 0
  Required<Number> decay_steps;            ///< steps in which the rate changes by decay_rate
  Required<Number> decay_rate;             ///< factor of the rate in decay_steps
  bool staircase = false;                  ///< decay in jumps, every decay_steps steps
  std::string name = "ExponentialDecay";   ///< name of the schedule
};

/// initial_learning_rate * decay_rate^(step / decay_steps); with staircase the quotient is rounded
/// down.
class ExponentialDecaySchedule
    : public Configured<ExponentialDecaySchedule, ExponentialDecayConfig, HostSchedule> {
 public:
  /// Throws ValueError unless decay_steps is positive.
  explicit ExponentialDecaySchedule(ExponentialDecayConfig c);

 protected:
  /// The formula above; `whole` changes nothing.
  float rate(double step, bool whole) const override;
};

/// A shared ExponentialDecaySchedule, made from its options.
using ExponentialDecay = Ref<ExponentialDecaySchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::ExponentialDecaySchedule,
                                 optimizers::schedules::ExponentialDecayConfig,
                                 optimizers::schedules::HostSchedule>;
}
