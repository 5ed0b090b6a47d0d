// CosineDecayRestarts: half cosines one after the other.
#pragma once
#include "host_schedule.h"

namespace cornu::optimizers::schedules {

/// Options of CosineDecayRestarts.
struct CosineDecayRestartsConfig {
  Required<Number> initial_learning_rate;  ///< rate at step 0
  Required<Number> first_decay_steps;      ///< steps until the first restart
  Number t_mul = 2.0;                      ///< factor of the steps at each restart
  Number m_mul = 1.0;                      ///< factor of the rate at each restart
  Number alpha = 0.0;                      ///< lowest rate, as a fraction of the highest
  std::string name = "SGDRDecay";          ///< name of the schedule
};

/// Decays like CosineDecay within first_decay_steps, then again from m_mul times the rate within
/// t_mul times the steps, and so on. Loshchilov and Hutter 2016.
class CosineDecayRestartsSchedule
    : public Configured<CosineDecayRestartsSchedule, CosineDecayRestartsConfig, HostSchedule> {
 public:
  /// Throws ValueError unless first_decay_steps is positive.
  explicit CosineDecayRestartsSchedule(CosineDecayRestartsConfig c);

 protected:
  /// The formula above; `whole` changes nothing.
  float rate(double step, bool whole) const override;
};

/// A shared CosineDecayRestartsSchedule, made from its options.
using CosineDecayRestarts = Ref<CosineDecayRestartsSchedule>;

}  // namespace cornu::optimizers::schedules

namespace cornu {
extern template class Configured<optimizers::schedules::CosineDecayRestartsSchedule,
                                 optimizers::schedules::CosineDecayRestartsConfig,
                                 optimizers::schedules::HostSchedule>;
}
