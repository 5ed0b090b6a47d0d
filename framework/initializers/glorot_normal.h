// GlorotNormal: values of a truncated normal distribution with the variance 1 over the mean of
// inputs and outputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

struct GlorotNormalConfig {
  std::optional<int64_t> seed = {};
  std::optional<std::vector<int64_t>> input_axes = {};
  std::optional<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_avg, distribution truncated_normal. Glorot and Bengio
/// 2010.
class GlorotNormalInitializer
    : public Configured<GlorotNormalInitializer, GlorotNormalConfig, VarianceDraw> {
 public:
  explicit GlorotNormalInitializer(GlorotNormalConfig c);
};

using GlorotNormal = Ref<GlorotNormalInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::GlorotNormalInitializer,
                                 initializers::GlorotNormalConfig, initializers::VarianceDraw>;
}
