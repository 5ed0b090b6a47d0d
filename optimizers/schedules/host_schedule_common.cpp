// Schedules on tensors.
#include "host_schedule.h"

#include <fmt/core.h>

namespace cornu::optimizers::schedules {

Tensor HostSchedule::operator()(const Tensor& step) {
  if (!step.is_eager()) return Tensor::abstract(step.shape(), DType::float32);
  const bool whole = !is_float(step.dtype());
  std::vector<float> rates;
  for (const double s : step.to_vector<double>()) rates.push_back(rate(s, whole));
  return Tensor::from(rates, step.shape());
}

void check_steps(const char* option, double steps) {
  if (!(steps > 0)) throw ValueError(fmt::format("{} must be positive, found {}.", option, steps));
}

}  // namespace cornu::optimizers::schedules
