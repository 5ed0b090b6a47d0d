// CosineDecay: a rate that falls along half a cosine, after a linear rise on request.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

/// Options of CosineDecay.
struct CosineDecayConfig {
  Required<Number> initial_learning_rate;    ///< rate at step 0
  Required<Number> decay_steps;              ///< steps until the decay ends
  Number alpha = 0.0;                        ///< lowest rate, as a fraction of the highest
  std::string name = "CosineDecay";          ///< name of the schedule
  std::optional<Number> warmup_target = {};  ///< rate at the end of the warmup; none: no warmup
  Number warmup_steps = 0;                   ///< steps of the warmup
};

/// peak * ((1 - alpha) (1 + cos(pi * p)) / 2 + alpha) with p = min(step / decay_steps, 1). With a
/// warmup_target the rate first goes in warmup_steps from initial_learning_rate to it, which is
/// then the peak. Loshchilov and Hutter 2016.
class CosineDecaySchedule
    : public Configured<CosineDecaySchedule, CosineDecayConfig, HostSchedule> {
 public:
  /// Throws ValueError unless decay_steps is positive.
  explicit CosineDecaySchedule(CosineDecayConfig c);

 protected:
  /// The formula above; `whole` changes nothing.
  float rate(double step, bool whole) const override;
};

/// A shared CosineDecaySchedule, made from its options.
using CosineDecay = Ref<CosineDecaySchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::CosineDecaySchedule,
                                 optimizers::schedules::CosineDecayConfig,
                                 optimizers::schedules::HostSchedule>;
}
