// Base of the built-in schedules, which are computed on numbers rather than on tensors.
#pragma once
#include "../../framework/base/number.h"
#include "../../framework/base/optimizer.h"

namespace cornu::optimizers::schedules {

/// A schedule that is a function of one number. A tensor of steps gives the rate at each.
class HostSchedule : public LearningRateSchedule {
 public:
  /// float32, of the shape of `step`.
  Tensor operator()(const Tensor& step) final;
  double at(int64_t step) final { return rate(static_cast<double>(step), true); }

 protected:
  /// The rate at `step`, in float32 arithmetic; `whole` says whether the step is of an integer
  /// type.
  virtual float rate(double step, bool whole) const = 0;
};

/// Throws ValueError unless `steps`, the value of `option`, is positive.
void check_steps(const char* option, double steps);

}  // namespace cornu::optimizers::schedules
