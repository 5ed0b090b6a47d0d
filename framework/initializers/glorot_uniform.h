// GlorotUniform: uniform values with the variance 1 over the mean of inputs and outputs.
#pragma once
#include "variance_scaling.h"

namespace cornu::initializers {

/// Options of GlorotUniform, as in Keras.
struct GlorotUniformConfig {
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
  /// Whose product is fan_in; goes with output_axes.
  OptionalList<std::vector<int64_t>> input_axes = {};
  /// Whose product is fan_out; goes with input_axes.
  OptionalList<std::vector<int64_t>> output_axes = {};
};

/// VarianceScaling with scale 1.0, mode fan_avg, distribution uniform. Glorot and Bengio 2010.
class GlorotUniformInitializer
    : public Configured<GlorotUniformInitializer, GlorotUniformConfig, VarianceDraw> {
 public:
  explicit GlorotUniformInitializer(GlorotUniformConfig c);  ///< chooses a seed unless one is given
};

using GlorotUniform =
    Ref<GlorotUniformInitializer>;     ///< a shared GlorotUniformInitializer, made from its options
using glorot_uniform = GlorotUniform;  ///< GlorotUniform by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::GlorotUniformInitializer,
                                 initializers::GlorotUniformConfig, initializers::VarianceDraw>;
}
