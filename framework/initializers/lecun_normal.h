// LecunNormal: values of a truncated normal distribution with the variance 1 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

struct LecunNormalConfig {
  std::optional<int64_t> seed = {};
  std::optional<std::vector<int64_t>> input_axes = {};
  std::optional<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_in, distribution truncated_normal. LeCun et al. 1998.
class LecunNormalInitializer
    : public Configured<LecunNormalInitializer, LecunNormalConfig, VarianceDraw> {
 public:
  explicit LecunNormalInitializer(LecunNormalConfig c);
};

using LecunNormal = Ref<LecunNormalInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::LecunNormalInitializer,
                                 initializers::LecunNormalConfig, initializers::VarianceDraw>;
}
