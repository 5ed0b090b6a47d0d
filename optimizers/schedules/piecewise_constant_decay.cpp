// The rate of PiecewiseConstantDecay.
#include "piecewise_constant_decay.h"

#include <fmt/core.h>

#include <cmath>

namespace cornu::optimizers::schedules {

PiecewiseConstantDecaySchedule::PiecewiseConstantDecaySchedule(PiecewiseConstantDecayConfig c)
    : Configured(std::move(c)) {
  if (config.boundaries->size() + 1 != config.values->size())
    throw ValueError(
        fmt::format("expected one value more than boundaries, found {} boundaries and {} "
                    "values.",
                    config.boundaries->size(), config.values->size()));
}

float PiecewiseConstantDecaySchedule::rate(double step, bool whole) const {
  const std::vector<Number>& boundaries = *config.boundaries;
  size_t i = 0;
  while (i < boundaries.size()) {
    // A boundary takes the type of the step.
    const double boundary = whole ? std::trunc(boundaries[i]) : static_cast<double>(boundaries[i]);
    if (step <= boundary) break;
    ++i;
  }
  return static_cast<float>(static_cast<double>((*config.values)[i]));
}

void register_piecewise_constant_decay(Catalog& c) {
  c.add<PiecewiseConstantDecaySchedule>("keras.optimizers.schedules.PiecewiseConstantDecay");
}

}  // namespace cornu::optimizers::schedules

namespace cornu {
template class Configured<optimizers::schedules::PiecewiseConstantDecaySchedule,
                          optimizers::schedules::PiecewiseConstantDecayConfig,
                          optimizers::schedules::HostSchedule>;
}
