// LecunUniform: uniform values with the variance 1 over the inputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

/// Options of LecunUniform, as in Keras.
struct LecunUniformConfig {
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
  /// Whose product is fan_in; goes with output_axes.
  OptionalList<std::vector<int64_t>> input_axes = {};
  /// Whose product is fan_out; goes with input_axes.
  OptionalList<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_in, distribution uniform. LeCun et al. 1998.
class LecunUniformInitializer
    : public Configured<LecunUniformInitializer, LecunUniformConfig, VarianceDraw> {
 public:
  explicit LecunUniformInitializer(LecunUniformConfig c);  ///< chooses a seed unless one is given
};

using LecunUniform =
    Ref<LecunUniformInitializer>;    ///< a shared LecunUniformInitializer, made from its options
using lecun_uniform = LecunUniform;  ///< LecunUniform by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::LecunUniformInitializer,
                                 initializers::LecunUniformConfig, initializers::VarianceDraw>;
}
