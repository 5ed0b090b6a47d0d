// Checks of layers that drop.
#include "spatial_dropout_common.h"

#include <fmt/core.h>

namespace cornu::layers {

void check_share(const char* option, double value) {
  if (value >= 0 && value <= 1) return;
  throw ValueError(fmt::format("option '{}' must be in [0, 1], found {}.", option, value));
}

}  // namespace cornu::layers
