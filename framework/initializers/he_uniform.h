// HeUniform: uniform values with the variance 2 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

struct HeUniformConfig {
  std::optional<int64_t> seed = {};
  std::optional<std::vector<int64_t>> input_axes = {};
  std::optional<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 2.0, mode fan_in, distribution uniform. He et al. 2015.
class HeUniformInitializer
    : public Configured<HeUniformInitializer, HeUniformConfig, VarianceDraw> {
 public:
  explicit HeUniformInitializer(HeUniformConfig c);
};

using HeUniform = Ref<HeUniformInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::HeUniformInitializer, initializers::HeUniformConfig,
                                 initializers::VarianceDraw>;
}
