// CosineDecayRestarts: half cosines one after the other.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

struct CosineDecayRestartsConfig {
  Required<Number> initial_learning_rate;
  Required<Number> first_decay_steps;
  Number t_mul = 2.0;
  Number m_mul = 1.0;
  Number alpha = 0.0;
  std::string name = "SGDRDecay";
};

/// Decays like CosineDecay within first_decay_steps, then again from m_mul times the rate within
/// t_mul times the steps, and so on. Loshchilov and Hutter 2016.
class CosineDecayRestartsSchedule
    : public Configured<CosineDecayRestartsSchedule, CosineDecayRestartsConfig, HostSchedule> {
 public:
  explicit CosineDecayRestartsSchedule(CosineDecayRestartsConfig c);

 protected:
  float rate(double step, bool whole) const override;
};

using CosineDecayRestarts = Ref<CosineDecayRestartsSchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::CosineDecayRestartsSchedule,
                                 optimizers::schedules::CosineDecayRestartsConfig,
                                 optimizers::schedules::HostSchedule>;
}
