// TruncatedNormal: normally distributed values without the far ones.
#pragma once
#include "random_initializer.h"

namespace cornu::initializers {

/// Options of TruncatedNormal, as in Keras.
struct TruncatedNormalConfig {
  double mean = 0.0;     ///< of the distribution
  double stddev = 0.05;  ///< standard deviation before truncation
  SeedOption seed = {};  ///< of the draws; default: a fresh one for each object
};

/// Normal, with draws beyond two standard deviations replaced.
class TruncatedNormalInitializer
    : public Configured<TruncatedNormalInitializer, TruncatedNormalConfig, RandomInitializer> {
 public:
  explicit TruncatedNormalInitializer(
      TruncatedNormalConfig c);  ///< chooses a seed unless one is given
  Tensor operator()(const Shape& shape, DType dtype) override;  ///< the same values in each call
  /// In Keras's order, with the seed first.
  Value::Dict get_config() const override;
};

using TruncatedNormal =
    Ref<TruncatedNormalInitializer>;       ///< a shared initializer, made from its options
using truncated_normal = TruncatedNormal;  ///< TruncatedNormal by its other name

}  // namespace cornu::initializers

namespace cornu {
extern template class Configured<initializers::TruncatedNormalInitializer,
                                 initializers::TruncatedNormalConfig,
                                 initializers::RandomInitializer>;
}
