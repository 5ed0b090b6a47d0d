// RandomNormal: normally distributed values.
#pragma once
#include "random_initializer.h"

namespace cornu::initializers {

/// Options of RandomNormal, as in Keras.
struct RandomNormalConfig {
  double mean = 0.0;     ///< of the distribution
  double stddev = 0.05;  ///< standard deviation
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
};

/// Normal with this mean and standard deviation.
class RandomNormalInitializer
    : public Configured<RandomNormalInitializer, RandomNormalConfig, RandomInitializer> {
 public:
  explicit RandomNormalInitializer(RandomNormalConfig c);  ///< chooses a seed unless one is given
  Tensor operator()(const Shape& shape, DType dtype) override;  ///< the same values in each call
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using RandomNormal =
    Ref<RandomNormalInitializer>;    ///< a shared RandomNormalInitializer, made from its options
using random_normal = RandomNormal;  ///< RandomNormal by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::RandomNormalInitializer,
                                 initializers::RandomNormalConfig, initializers::RandomInitializer>;
}
