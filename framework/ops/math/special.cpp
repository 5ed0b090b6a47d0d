// The complement of the error function, by fits.
#include "special.h"

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../detail/lists.h"
#include "../elementwise.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

// The continued fraction of Abramowitz and Stegun, 7.1.14, beyond 2.
Tensor erfc_double(const Tensor& x) {
  return fused(
      [](Expr x) {
        const Expr far = expr::greater(x, 2.0);
        const Expr z = expr::select(far, x, 2.0);
        Expr fraction = z;
        for (int k = 60; k > 0; --k) fraction = z + (0.5 * k) / fraction;
        return expr::select(far, expr::exp(-(z * z)) * 0.5641895835477563 / fraction,
                            1.0 - expr::erf(x));
      },
      x);
}

// The Chebyshev fit of Press et al., "Numerical Recipes", 6.2, beyond 0.5.
Tensor erfc_single(const Tensor& x) {
  return fused(
      [](Expr x) {
        const Expr far = expr::greater(x, 0.5);
        const Expr z = expr::select(far, x, 0.5);
        const Expr t = expr::reciprocal(z * 0.5 + 1.0);
        Expr fit = t * 0.17087277 - 0.82215223;
        for (double c : {1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196,
                         1.00002368, -1.26551223})
          fit = fit * t + c;
        return expr::select(far, t * expr::exp(fit - z * z), 1.0 - expr::erf(x));
      },
      x);
}

}  // namespace

Tensor erfc(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&erfc, x);
  return x.dtype() == DType::float64 ? erfc_double(x) : erfc_single(x);
}

void list_math_special(OpCatalog& catalog) { catalog.add("math.Erfc", {"x"}, &erfc); }

}  // namespace cornu::ops
