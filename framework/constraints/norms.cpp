// Norms of weights.
#include "norms.h"

#include "../ops/elementwise.h"
#include "../ops/numpy/reduction.h"

namespace cornu::constraints {

Tensor squared_norms(const Tensor& x, const NormAxes& axes) {
  return ops::sum(ops::square(x), axes, true);
}

}  // namespace cornu::constraints
