// NonNeg.
#include "non_neg.h"

#include "../ops/elementwise.h"

namespace cornu::constraints {

Tensor NonNegConstraint::operator()(const Tensor& x) { return ops::maximum(x, Tensor(0)); }

void register_non_neg(Catalog& c) { c.add<NonNegConstraint>("keras.constraints.NonNeg"); }

}  // namespace cornu::constraints

namespace cornu {
template class Configured<constraints::NonNegConstraint, constraints::NonNegConfig, Constraint>;
}
