// Views of complex numbers.
#include "complex.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../numpy/complex.h"
#include "../numpy/joining.h"
#include "../operators.h"

namespace cornu::ops {

Tensor view_as_real(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&view_as_real, x);
  return is_complex(x.dtype()) ? as_pairs(x) : stack({real(x), imag(x)}, -1);
}

Tensor view_as_complex(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&view_as_complex, x);
  if (is_complex(x.dtype())) refuse_complex("view_as_complex");
  if (x.rank() == 0 || x.shape().back() != 2)
    throw ValueError(
        fmt::format("view_as_complex: the last axis must be of size 2, the real and the "
                    "imaginary part; found shape {}.",
                    x.shape().str()));
  return from_pairs(cast(x, DType::float32));
}

void list_math_complex(OpCatalog& catalog) {
  catalog.add("math.ViewAsReal", {"x"}, &view_as_real);
  catalog.add("math.ViewAsComplex", {"x"}, &view_as_complex);
}

}  // namespace cornu::ops
