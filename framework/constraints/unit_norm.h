// UnitNorm: weights of norm 1.
#pragma once
#include "norms.h"

namespace cornu::constraints {

/// Options of UnitNorm, as in Keras.
struct UnitNormConfig {
  NormAxes axis = 0;  ///< over which norms are taken
  /// The option that may be given by its place: `UnitNorm(1)`.
  static UnitNormConfig positional(const NormAxes& axis) { return {.axis = axis}; }
};

/// x over its L2 norm over `axis`.
class UnitNormConstraint : public Configured<UnitNormConstraint, UnitNormConfig, Constraint> {
 public:
  using Configured::Configured;
  Tensor operator()(const Tensor& x) override;
};

using UnitNorm = Ref<UnitNormConstraint>;  ///< a shared UnitNormConstraint, made from its options
using unit_norm = UnitNorm;                ///< UnitNorm by its other name

}  // namespace cornu::constraints

namespace cornu {
extern template class Configured<constraints::UnitNormConstraint, constraints::UnitNormConfig,
                                 Constraint>;
}
