// LecunUniform: uniform values with the variance 1 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

struct LecunUniformConfig {
  std::optional<int64_t> seed = {};
  std::optional<std::vector<int64_t>> input_axes = {};
  std::optional<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_in, distribution uniform. LeCun et al. 1998.
class LecunUniformInitializer
    : public Configured<LecunUniformInitializer, LecunUniformConfig, VarianceDraw> {
 public:
  explicit LecunUniformInitializer(LecunUniformConfig c);
};

using LecunUniform = Ref<LecunUniformInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::LecunUniformInitializer,
                                 initializers::LecunUniformConfig, initializers::VarianceDraw>;
}
