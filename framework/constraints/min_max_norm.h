// MinMaxNorm: weights with a norm in a given range.
#pragma once
#include "norms.h"

namespace cornu::constraints {

/// Options of MinMaxNorm, as in Keras.
struct MinMaxNormConfig {
  Number min_value = 0.0;  ///< smallest L2 norm
  Number max_value = 1.0;  ///< largest L2 norm
  Number rate = 1.0;       ///< fraction of the way to the range that an update goes, in [0, 1]
  NormAxes axis = 0;       ///< over which norms are taken
  /// The options that may be given by their places: `MinMaxNorm(0.5, 2)`.
  static MinMaxNormConfig positional(Number min_value, Number max_value = 1.0, Number rate = 1.0,
                                     const NormAxes& axis = 0) {
    return {.min_value = min_value, .max_value = max_value, .rate = rate, .axis = axis};
  }
};

/// Scales x so that its L2 norm over `axis` moves by the fraction `rate` toward [min_value,
/// max_value].
class MinMaxNormConstraint : public Configured<MinMaxNormConstraint, MinMaxNormConfig, Constraint> {
 public:
  using Configured::Configured;
  Tensor operator()(const Tensor& x) override;
};

using MinMaxNorm =
    Ref<MinMaxNormConstraint>;    ///< a shared MinMaxNormConstraint, made from its options
using min_max_norm = MinMaxNorm;  ///< MinMaxNorm by its other name

}  // namespace cornu::constraints

namespace cornu {
extern template class Configured<constraints::MinMaxNormConstraint, constraints::MinMaxNormConfig,
                                 Constraint>;
}
