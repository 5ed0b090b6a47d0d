// RandomNormal: normally distributed values.
#pragma once
#include "random_initializer.h"

namespace cornu::initializers {

struct RandomNormalConfig {
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<int64_t> seed = {};
};

/// Normal with this mean and standard deviation.
class RandomNormalInitializer
    : public Configured<RandomNormalInitializer, RandomNormalConfig, RandomInitializer> {
 public:
  explicit RandomNormalInitializer(RandomNormalConfig c);
  Tensor operator()(const Shape& shape, DType dtype) override;
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using RandomNormal = Ref<RandomNormalInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::RandomNormalInitializer,
                                 initializers::RandomNormalConfig, initializers::RandomInitializer>;
}
