// Distances of vectors, by products.
#include "distances.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../../dispatch/custom_gradient.h"
#include "../catalog.h"
#include "../elementwise.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

Tensor cdist(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&cdist, x, y);
  if (x.rank() < 2 || y.rank() < 2 || x.shape().back() != y.shape().back())
    throw ShapeError(fmt::format(
        "cdist: expected rows of one length (..., m, d) and (..., n, d), found {} and {}.",
        x.shape().str(), y.shape().str()));
  if (is_complex(x.dtype()) || is_complex(y.dtype())) refuse_complex("cdist");
  return sqrt(sum(square(expand_dims(x, {-2}) - expand_dims(y, {-3})), -1));
}

void list_math_distances(OpCatalog& catalog) { catalog.add("math.CDist", {"x", "y"}, &cdist); }

}  // namespace cornu::ops
