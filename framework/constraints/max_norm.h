// MaxNorm: weights of at most a given norm.
#pragma once
#include "norms.h"

namespace cornu::constraints {

/// Options of MaxNorm, as in Keras.
struct MaxNormConfig {
  Number max_value = 2;  ///< largest L2 norm
  NormAxes axis = 0;     ///< over which norms are taken
  /// The options that may be given by their places: `MaxNorm(0.5)`.
  static MaxNormConfig positional(Number max_value, const NormAxes& axis = 0) {
    return {.max_value = max_value, .axis = axis};
  }
};

/// Scales down what has an L2 norm over `axis` above max_value. For the kernel of a Dense layer
/// axis 0 bounds the weights into each unit.
class MaxNormConstraint : public Configured<MaxNormConstraint, MaxNormConfig, Constraint> {
 public:
  using Configured::Configured;
  Tensor operator()(const Tensor& x) override;
};

using MaxNorm = Ref<MaxNormConstraint>;  ///< a shared MaxNormConstraint, made from its options
using max_norm = MaxNorm;                ///< MaxNorm by its other name

}  // namespace cornu::constraints

namespace cornu {
extern template class Configured<constraints::MaxNormConstraint, constraints::MaxNormConfig,
                                 Constraint>;
}
