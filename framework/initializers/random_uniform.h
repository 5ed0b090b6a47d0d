// RandomUniform: values spread evenly over an interval.
#pragma once
#include "random_initializer.h"

namespace cornu::initializers {

/// Options of RandomUniform, as in Keras.
struct RandomUniformConfig {
  double minval = -0.05;  ///< lower bound, inclusive
  double maxval = 0.05;   ///< upper bound, exclusive
  SeedOption seed = {};   ///< of the draws; default: a fresh one for each object
};

/// Uniform in [minval, maxval).
class RandomUniformInitializer
    : public Configured<RandomUniformInitializer, RandomUniformConfig, RandomInitializer> {
 public:
  explicit RandomUniformInitializer(RandomUniformConfig c);  ///< chooses a seed unless one is given
  Tensor operator()(const Shape& shape, DType dtype) override;  ///< the same values in each call
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using RandomUniform =
    Ref<RandomUniformInitializer>;     ///< a shared RandomUniformInitializer, made from its options
using random_uniform = RandomUniform;  ///< RandomUniform by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::RandomUniformInitializer,
                                 initializers::RandomUniformConfig,
                                 initializers::RandomInitializer>;
}
