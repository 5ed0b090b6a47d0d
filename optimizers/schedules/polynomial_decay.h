// PolynomialDecay: a rate that falls along a power of the steps left.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

/// Options of PolynomialDecay.
struct PolynomialDecayConfig {
  Required<Number> initial_learning_rate;  ///< rate at step 0
  Required<Number> decay_steps;            ///< steps until the decay ends
  Number end_learning_rate = 0.0001;       ///< rate after decay_steps
  Number power = 1.0;                      ///< exponent; 1: linear
  bool cycle = false;                      ///< begin again after decay_steps, with more of them
  std::string name = "PolynomialDecay";    ///< name of the schedule
};

/// (initial - end) * (1 - p)^power + end with p = min(step / decay_steps, 1). With cycle,
/// decay_steps grows to the next multiple that holds the step instead.
class PolynomialDecaySchedule
    : public Configured<PolynomialDecaySchedule, PolynomialDecayConfig, HostSchedule> {
 public:
  /// Throws ValueError unless decay_steps is positive.
  explicit PolynomialDecaySchedule(PolynomialDecayConfig c);

 protected:
  /// The formula above; `whole` changes nothing.
  float rate(double step, bool whole) const override;
};

/// A shared PolynomialDecaySchedule, made from its options.
using PolynomialDecay = Ref<PolynomialDecaySchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::PolynomialDecaySchedule,
                                 optimizers::schedules::PolynomialDecayConfig,
                                 optimizers::schedules::HostSchedule>;
}
