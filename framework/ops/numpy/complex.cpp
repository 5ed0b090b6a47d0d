// Parts of complex numbers.
#include "complex.h"

#include <fmt/core.h>

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "creation.h"
#include "../elementwise.h"
#include "../rearrange.h"
#include "manipulation.h"

namespace cornu::ops {

Tensor real(const Tensor& x) {
  return op(
      &real,
      [](const Tensor& x) {
        return is_complex(x.dtype()) ? part_of_complex(x, 0) : cast(x, x.dtype());
      },
      x);
}

Tensor imag(const Tensor& x) {
  return op(
      &imag,
      [](const Tensor& x) { return is_complex(x.dtype()) ? part_of_complex(x, 1) : zeros_like(x); },
      x);
}

Tensor conjugate(const Tensor& x) {
  return op(
      &conjugate,
      [](const Tensor& x) {
        if (!is_complex(x.dtype())) return cast(x, x.dtype());
        return join_complex(part_of_complex(x, 0), negative(part_of_complex(x, 1)));
      },
      x);
}

Tensor angle(const Tensor& x) {
  return op(
      &angle,
      [](const Tensor& x) {
        if (is_complex(x.dtype())) return arctan2(part_of_complex(x, 1), part_of_complex(x, 0));
        return fused(
            [](Expr x) {
              return expr::select(x < 0.0, 3.141592653589793, expr::select(expr::isnan(x), x, 0.0));
            },
            x);
      },
      x);
}

Tensor isreal(const Tensor& x) {
  return op(
      &isreal,
      [](const Tensor& x) {
        return is_complex(x.dtype()) ? equal(part_of_complex(x, 1), Tensor(0.0))
                                     : ones_like(x, DType::boolean);
      },
      x);
}

Tensor view_as_real(const Tensor& x) {
  return op(
      &view_as_real,
      [](const Tensor& x) {
        return is_complex(x.dtype()) ? as_pairs(x) : stack({real(x), imag(x)}, -1);
      },
      x);
}

Tensor view_as_complex(const Tensor& x) {
  return op(
      &view_as_complex,
      [](const Tensor& x) {
        if (is_complex(x.dtype())) refuse_complex("view_as_complex");
        if (x.rank() == 0 || x.shape().back() != 2)
          throw ValueError(
              fmt::format("view_as_complex: the last axis must be of size 2, the real and the "
                          "imaginary part; found shape {}.",
                          x.shape().str()));
        return from_pairs(cast(x, DType::float32));
      },
      x);
}

Tensor polar(const Tensor& abs, const Tensor& angle) {
  return op(
      &polar,
      [](const Tensor& abs, const Tensor& angle) {
        for (const Tensor* t : {&abs, &angle})
          if (!is_float(t->dtype()))
            throw ValueError(fmt::format("polar: expected floats, found {} of shape {}.",
                                         dtype_name(t->dtype()), t->shape().str()));
        const DType dtype =
            result_type(abs, angle) == DType::float64 ? DType::float64 : DType::float32;
        const Tensor size = cast(abs, dtype), turn = cast(angle, dtype);
        return join_complex(multiply(size, cos(turn)), multiply(size, sin(turn)));
      },
      abs, angle);
}

void list_complex(OpCatalog& catalog) {
  catalog.add("numpy.Real", {"x"}, &real);
  catalog.add("numpy.Imag", {"x"}, &imag);
  catalog.add("numpy.Conjugate", {"x"}, &conjugate);
  catalog.add("numpy.Conj", {"x"}, &conjugate);
  catalog.add("numpy.Angle", {"x"}, &angle);
  catalog.add("numpy.Isreal", {"x"}, &isreal);
  catalog.add("math.ViewAsReal", {"x"}, &view_as_real);
  catalog.add("math.ViewAsComplex", {"x"}, &view_as_complex);
  catalog.add("nn.Polar", {"abs_", "angle"}, &polar);
}

}  // namespace cornu::ops
