// Schedules on tensors.
#include "host_schedule.h"

#include <fmt/core.h>

#include "../../framework/dispatch/apply.h"

namespace cornu::optimizers::schedules {

Tensor HostSchedule::operator()(const Tensor& step) {
  // Work of the host, so that a recording computes the rate of each step anew.
  const auto rates = [this](std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
    const bool whole = !is_float(inputs[0].dtype());
    float* out = outputs[0].mutable_data<float>();
    for (const double s : inputs[0].to_vector<double>()) *out++ = rate(s, whole);
  };
  const TensorSpec spec{step.shape(), DType::float32};
  return apply_host(rates, {&step, 1}, {&spec, 1})[0];
}

void check_steps(const char* option, double steps) {
  if (!(steps > 0)) throw ValueError(fmt::format("{} must be positive, found {}.", option, steps));
}

}  // namespace cornu::optimizers::schedules
