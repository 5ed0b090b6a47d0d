// Complex numbers.
#include "complex.h"

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"

namespace cornu::ops {

Tensor real(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&real, x);
  return is_complex(x.dtype()) ? part_of_complex(x, 0) : cast(x, x.dtype());
}

Tensor imag(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&imag, x);
  return is_complex(x.dtype()) ? part_of_complex(x, 1) : zeros_like(x);
}

Tensor conjugate(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&conjugate, x);
  if (!is_complex(x.dtype())) return cast(x, x.dtype());
  return join_complex(part_of_complex(x, 0), negative(part_of_complex(x, 1)));
}

Tensor angle(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&angle, x);
  if (is_complex(x.dtype())) return arctan2(part_of_complex(x, 1), part_of_complex(x, 0));
  return fused(
      [](Expr x) {
        // 1 / -0 is negative, and -0 has the angle of negative numbers.
        const Expr sign = expr::select(expr::equal(x, 0.0), expr::reciprocal(x), x);
        return expr::select(sign < 0.0, 3.141592653589793, expr::select(expr::isnan(x), x, 0.0));
      },
      x);
}

Condition isreal(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&isreal, x);
  return is_complex(x.dtype()) ? equal(part_of_complex(x, 1), Tensor(0.0))
                               : ones_like(x, DType::boolean);
}

void list_numpy_complex(OpCatalog& catalog) {
  catalog.add("numpy.Real", {"x"}, &real);
  catalog.add("numpy.Imag", {"x"}, &imag);
  catalog.add("numpy.Conjugate", {"x"}, &conjugate);
  catalog.add("numpy.Conj", {"x"}, &conjugate);
  catalog.add("numpy.Angle", {"x"}, &angle);
  catalog.add("numpy.Isreal", {"x"}, &isreal);
}

}  // namespace cornu::ops
