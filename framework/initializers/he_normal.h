// HeNormal: values of a truncated normal distribution with the variance 2 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

/// Options of HeNormal, as in Keras.
struct HeNormalConfig {
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
  /// Whose product is fan_in; goes with output_axes.
  OptionalList<std::vector<int64_t>> input_axes = {};
  /// Whose product is fan_out; goes with input_axes.
  OptionalList<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 2.0, mode fan_in, distribution truncated_normal. He et al. 2015.
class HeNormalInitializer : public Configured<HeNormalInitializer, HeNormalConfig, VarianceDraw> {
 public:
  explicit HeNormalInitializer(HeNormalConfig c);  ///< chooses a seed unless one is given
};

using HeNormal = Ref<HeNormalInitializer>;  ///< a shared HeNormalInitializer, made from its options
using he_normal = HeNormal;                 ///< HeNormal by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::HeNormalInitializer, initializers::HeNormalConfig,
                                 initializers::VarianceDraw>;
}
