// NonNeg: weights that are not negative.
#pragma once
#include "../base/initializer.h"
#include "../config/config.h"

namespace cornu::constraints {

/// NonNeg has no options.
struct NonNegConfig {};

/// max(x, 0).
class NonNegConstraint : public Configured<NonNegConstraint, NonNegConfig, Constraint> {
 public:
  using Configured::Configured;
  Tensor operator()(const Tensor& x) override;
};

using NonNeg = Ref<NonNegConstraint>;  ///< a shared NonNegConstraint, made from its options
using non_neg = NonNeg;                ///< NonNeg by its other name

}  // namespace cornu::constraints

namespace cornu {
extern template class Configured<constraints::NonNegConstraint, constraints::NonNegConfig,
                                 Constraint>;
}
