// PiecewiseConstantDecay: a rate that changes at given steps.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

/// Options of PiecewiseConstantDecay.
struct PiecewiseConstantDecayConfig {
  Required<std::vector<Number>> boundaries;  ///< last steps of all values but the last, ascending
  Required<std::vector<Number>> values;      ///< rates, one more than there are boundaries
  std::string name = "PiecewiseConstant";    ///< name of the schedule
};

/// values[i] with i the number of boundaries that are less than the step. Throws ValueError unless
/// there is one value more than there are boundaries.
class PiecewiseConstantDecaySchedule
    : public Configured<PiecewiseConstantDecaySchedule, PiecewiseConstantDecayConfig,
                        HostSchedule> {
 public:
  /// Throws ValueError unless there is one value more than there are boundaries.
  explicit PiecewiseConstantDecaySchedule(PiecewiseConstantDecayConfig c);

 protected:
  /// The formula above; boundaries lose their fractions where the step is whole.
  float rate(double step, bool whole) const override;
};

/// A shared PiecewiseConstantDecaySchedule, made from its options.
using PiecewiseConstantDecay = Ref<PiecewiseConstantDecaySchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::PiecewiseConstantDecaySchedule,
                                 optimizers::schedules::PiecewiseConstantDecayConfig,
                                 optimizers::schedules::HostSchedule>;
}
