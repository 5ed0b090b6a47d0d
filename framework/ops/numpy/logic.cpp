// Tests of elements.
#include "logic.h"

#include <cmath>
#include <limits>

#include "../../dispatch/complex.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "reduction.h"

namespace cornu::ops {

namespace {

using backend::Domain;

Tensor is_infinity(const Tensor& x, double infinity) {
  if (is_complex(x.dtype())) refuse_complex(infinity > 0 ? "isposinf" : "isneginf");
  if (!is_float(x.dtype())) return zeros_like(x, DType::boolean);
  return equal(x, Tensor(infinity));
}

}  // namespace

Condition isclose(const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
  if (is_symbolic(x1, x2)) return symbolic_call(&isclose, x1, x2, rtol, atol, equal_nan);
  const DType dtype = result_type(detail::strong(x1), detail::strong(x2));
  const Tensor a = cast(x1, dtype), b = cast(x2, dtype);
  if (!is_float(dtype) && !is_complex(dtype)) return equal(a, b);
  return fused_in<Domain::boolean>(
      [](Expr a, Expr b, Expr rtol, Expr atol, Expr nan_too) {
        const Expr near = expr::less_equal(expr::absolute(a - b), atol + rtol * expr::absolute(b));
        const Expr finite = expr::minimum(expr::isfinite(a), expr::isfinite(b));
        const Expr both_nan = expr::minimum(expr::isnan(a), expr::isnan(b));
        return expr::maximum(expr::maximum(near * finite, expr::equal(a, b)), both_nan * nan_too);
      },
      a, b, Tensor(rtol), Tensor(atol), Tensor(equal_nan ? 1.0 : 0.0));
}

Condition allclose(const Tensor& x1, const Tensor& x2, double rtol, double atol, bool equal_nan) {
  if (is_symbolic(x1, x2)) return symbolic_call(&allclose, x1, x2, rtol, atol, equal_nan);
  return all(isclose(x1, x2, rtol, atol, equal_nan));
}

Condition isneginf(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&isneginf, x);
  return is_infinity(x, -std::numeric_limits<double>::infinity());
}

Condition isposinf(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&isposinf, x);
  return is_infinity(x, std::numeric_limits<double>::infinity());
}

Condition signbit(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&signbit, x);
  if (!is_float(x.dtype())) return less(x, Tensor(0));
  // 1 / -0 is negative.
  return fused_in<Domain::boolean>(
      [](Expr x) { return expr::select(expr::equal(x, 0.0), expr::reciprocal(x), x) < 0.0; }, x);
}

void list_numpy_logic(OpCatalog& catalog) {
  catalog.add("numpy.Isclose", {"x1", "x2", "rtol=1e-05", "atol=1e-08", "equal_nan=False"},
              &isclose);
  catalog.add("numpy.AllClose", {"x1", "x2", "rtol=1e-05", "atol=1e-08", "equal_nan=False"},
              &allclose);
  catalog.add("numpy.Isneginf", {"x"}, &isneginf);
  catalog.add("numpy.Isposinf", {"x"}, &isposinf);
  catalog.add("numpy.Signbit", {"x"}, &signbit);
}

}  // namespace cornu::ops
