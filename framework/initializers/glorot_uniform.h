// GlorotUniform: uniform values with the variance 1 over the mean of inputs and outputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

struct GlorotUniformConfig {
  std::optional<int64_t> seed = {};
  std::optional<std::vector<int64_t>> input_axes = {};
  std::optional<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_avg, distribution uniform. Glorot and Bengio 2010.
class GlorotUniformInitializer
    : public Configured<GlorotUniformInitializer, GlorotUniformConfig, VarianceDraw> {
 public:
  explicit GlorotUniformInitializer(GlorotUniformConfig c);
};

using GlorotUniform = Ref<GlorotUniformInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::GlorotUniformInitializer,
                                 initializers::GlorotUniformConfig, initializers::VarianceDraw>;
}
