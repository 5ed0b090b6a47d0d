// RandomUniform: values spread evenly over an interval.
#pragma once
#include "random_initializer.h"

namespace cornu::initializers {

struct RandomUniformConfig {
  double minval = -0.05;
  double maxval = 0.05;
  std::optional<int64_t> seed = {};
};

/// Uniform in [minval, maxval).
class RandomUniformInitializer
    : public Configured<RandomUniformInitializer, RandomUniformConfig, RandomInitializer> {
 public:
  explicit RandomUniformInitializer(RandomUniformConfig c);
  Tensor operator()(const Shape& shape, DType dtype) override;
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using RandomUniform = Ref<RandomUniformInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::RandomUniformInitializer,
                                 initializers::RandomUniformConfig,
                                 initializers::RandomInitializer>;
}
