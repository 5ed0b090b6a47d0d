// Complex numbers from absolute values and angles.
#include "polar.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/complex.h"
#include "../operators.h"

namespace cornu::ops {

Tensor polar(const Tensor& abs, const Tensor& angle) {
  if (is_symbolic(abs, angle)) return symbolic_call(&polar, abs, angle);
  for (const Tensor* t : {&abs, &angle})
    if (!is_float(t->dtype()))
      throw ValueError(fmt::format("polar: expected floats, found {} of shape {}.",
                                   dtype_name(t->dtype()), t->shape().str()));
  const DType dtype = result_type(abs, angle) == DType::float64 ? DType::float64 : DType::float32;
  const Tensor size = cast(abs, dtype), turn = cast(angle, dtype);
  return join_complex(multiply(size, cos(turn)), multiply(size, sin(turn)));
}

void list_nn_polar(OpCatalog& catalog) { catalog.add("nn.Polar", {"abs_", "angle"}, &polar); }

}  // namespace cornu::ops
