// UnitNorm.
#include "unit_norm.h"

#include "../ops/elementwise.h"

namespace cornu::constraints {

Tensor UnitNormConstraint::operator()(const Tensor& x) {
  return fused(
      [](Expr x, Expr squares, Expr epsilon) { return x / (epsilon + expr::sqrt(squares)); }, x,
      squared_norms(x, config.axis), Tensor(epsilon));
}

void register_unit_norm(Catalog& c) { c.add<UnitNormConstraint>("keras.constraints.UnitNorm"); }

}  // namespace cornu::constraints

namespace cornu {
template class Configured<constraints::UnitNormConstraint, constraints::UnitNormConfig, Constraint>;
}
