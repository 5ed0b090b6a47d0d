// HeNormal: values of a truncated normal distribution with the variance 2 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

struct HeNormalConfig {
  std::optional<int64_t> seed = {};
  std::optional<std::vector<int64_t>> input_axes = {};
  std::optional<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 2.0, mode fan_in, distribution truncated_normal. He et al. 2015.
class HeNormalInitializer : public Configured<HeNormalInitializer, HeNormalConfig, VarianceDraw> {
 public:
  explicit HeNormalInitializer(HeNormalConfig c);
};

using HeNormal = Ref<HeNormalInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::HeNormalInitializer, initializers::HeNormalConfig,
                                 initializers::VarianceDraw>;
}
