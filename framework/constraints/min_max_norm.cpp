// MinMaxNorm.
#include "min_max_norm.h"

#include "../ops/elementwise.h"

namespace cornu::constraints {

Tensor MinMaxNormConstraint::operator()(const Tensor& x) {
  return fused(
      [](Expr x, Expr squares, Expr smallest, Expr largest, Expr rate, Expr epsilon) {
        Expr norm = expr::sqrt(squares);
        Expr bounded = expr::minimum(expr::maximum(norm, smallest), largest);
        return x * ((rate * bounded + (1.0 - rate) * norm) / (epsilon + norm));
      },
      x, squared_norms(x, config.axis), Tensor(static_cast<double>(config.min_value)),
      Tensor(static_cast<double>(config.max_value)), Tensor(static_cast<double>(config.rate)),
      Tensor(epsilon));
}

void register_min_max_norm(Catalog& c) {
  c.add<MinMaxNormConstraint>("keras.constraints.MinMaxNorm");
}

}  // namespace cornu::constraints

namespace cornu {
template class Configured<constraints::MinMaxNormConstraint, constraints::MinMaxNormConfig,
                          Constraint>;
}
