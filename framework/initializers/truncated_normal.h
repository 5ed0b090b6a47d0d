// TruncatedNormal: normally distributed values without the far ones.
#pragma once
#include "random_initializer.h"

namespace cornu::initializers {

struct TruncatedNormalConfig {
  double mean = 0.0;
  double stddev = 0.05;
  std::optional<int64_t> seed = {};
};

/// Normal, with draws beyond two standard deviations replaced.
class TruncatedNormalInitializer
    : public Configured<TruncatedNormalInitializer, TruncatedNormalConfig, RandomInitializer> {
 public:
  explicit TruncatedNormalInitializer(TruncatedNormalConfig c);
  Tensor operator()(const Shape& shape, DType dtype) override;
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using TruncatedNormal = Ref<TruncatedNormalInitializer>;

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::TruncatedNormalInitializer,
                                 initializers::TruncatedNormalConfig,
                                 initializers::RandomInitializer>;
}
