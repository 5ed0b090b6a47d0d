// The complement of the error function, by fits, and the logarithm of sums of exponentials.
#include "special.h"

#include "../../dispatch/complex.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
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

Tensor logsumexp(const Tensor& given, const Axes& axis, bool keepdims) {
  if (is_symbolic(given)) return symbolic_call(&logsumexp, given, axis, keepdims);
  if (is_complex(given.dtype())) refuse_complex("logsumexp");
  const Tensor x = is_float(given.dtype()) ? given : cast(given, DType::float32);
  // An infinite maximum is not subtracted: inf - inf would be NaN. No numbers at all have
  // none, and their sum of 0 gives -inf.
  if (x.size() == 0) return log(sum(x, axis, keepdims));
  const Tensor peak = ops::stop_gradient(max(x, axis, true));
  const Tensor offset = where(isfinite(peak), peak, zeros_like(peak));
  const Tensor y = log(sum(exp(x - offset), axis, true)) + offset;
  return keepdims ? y : squeeze(y, axis);
}

void list_math_special(OpCatalog& catalog) {
  catalog.add("math.Erfc", {"x"}, &erfc);
  catalog.add("math.Logsumexp", {"x", "axis=None", "keepdims=False"}, &logsumexp);
}

}  // namespace cornu::ops
