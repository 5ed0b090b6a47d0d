// HeUniform: uniform values with the variance 2 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

/// Options of HeUniform, as in Keras.
struct HeUniformConfig {
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
  /// Whose product is fan_in; goes with output_axes.
  OptionalList<std::vector<int64_t>> input_axes = {};
  /// Whose product is fan_out; goes with input_axes.
  OptionalList<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 2.0, mode fan_in, distribution uniform. He et al. 2015.
class HeUniformInitializer
    : public Configured<HeUniformInitializer, HeUniformConfig, VarianceDraw> {
 public:
  explicit HeUniformInitializer(HeUniformConfig c);  ///< chooses a seed unless one is given
};

using HeUniform =
    Ref<HeUniformInitializer>;  ///< a shared HeUniformInitializer, made from its options
using he_uniform = HeUniform;   ///< HeUniform by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::HeUniformInitializer, initializers::HeUniformConfig,
                                 initializers::VarianceDraw>;
}
