// MinMaxNorm: weights with a norm in a given range.
#pragma once
#include "norms.h"

namespace cornu::constraints {

struct MinMaxNormConfig {
  Number min_value = 0.0;
  Number max_value = 1.0;
  Number rate = 1.0;
  NormAxes axis = 0;
};

/// Scales x so that its L2 norm over `axis` moves by the share `rate` toward [min_value,
/// max_value].
class MinMaxNormConstraint : public Configured<MinMaxNormConstraint, MinMaxNormConfig, Constraint> {
 public:
  using Configured::Configured;
  Tensor operator()(const Tensor& x) override;
};

using MinMaxNorm = Ref<MinMaxNormConstraint>;

}  // namespace cornu::constraints

namespace cornu {
extern template class Configured<constraints::MinMaxNormConstraint, constraints::MinMaxNormConfig,
                                 Constraint>;
}
