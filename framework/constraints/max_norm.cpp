// MaxNorm.
#include "max_norm.h"

#include "../ops/elementwise.h"

namespace cornu::constraints {

Tensor MaxNormConstraint::operator()(const Tensor& x) {
  return fused(
      [](Expr x, Expr squares, Expr largest, Expr epsilon) {
        Expr norm = expr::sqrt(squares);
        return x * (expr::minimum(norm, largest) / (epsilon + norm));
      },
      x, squared_norms(x, config.axis), Tensor(static_cast<double>(config.max_value)),
      Tensor(epsilon));
}

void register_max_norm(Catalog& c) { c.add<MaxNormConstraint>("keras.constraints.MaxNorm"); }

}  // namespace cornu::constraints

namespace cornu {
template class Configured<constraints::MaxNormConstraint, constraints::MaxNormConfig, Constraint>;
}
