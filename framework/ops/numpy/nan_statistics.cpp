// Reductions and statistics that leave NaN out.
#include "nan_statistics.h"

#include <limits>

#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/quantiles.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "indexing.h"
#include "manipulation.h"
#include "reduction.h"

namespace cornu::ops {

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

bool has_nan(DType dtype) { return is_float(dtype) || is_complex(dtype); }

// x with `value` in place of NaN.
Tensor replaced(const Tensor& x, double value) {
  return has_nan(x.dtype()) ? where(isnan(x), Tensor(value), x) : x;
}

bool no_axes(const Axes& axis, const Tensor& x) {
  return !axis.all() && axis.resolve(x.rank()).empty();
}

Tensor nan_where_all(const Tensor& x, const Axes& axis, bool keepdims, const Tensor& y) {
  return where(all(isnan(x), axis, keepdims), Tensor(std::numeric_limits<double>::quiet_NaN()), y);
}

}  // namespace

Tensor nansum(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nansum, x, axis, keepdims);
  return sum(replaced(x, 0), axis, keepdims);
}

Tensor nanprod(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanprod, x, axis, keepdims);
  return prod(replaced(x, 1), axis, keepdims);
}

Tensor nanmean(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanmean, x, axis, keepdims);
  if (no_axes(axis, x)) return cast(x, x.dtype());
  if (!has_nan(x.dtype())) return mean(x, axis, keepdims);
  return sum(replaced(x, 0), axis, keepdims) /
         sum(cast(logical_not(isnan(x)), x.dtype()), axis, keepdims);
}

Tensor nanvar(const Tensor& given, const Axes& axis, bool keepdims) {
  if (is_symbolic(given)) return symbolic_call(&nanvar, given, axis, keepdims);
  const Tensor x = is_float(given.dtype()) ? given : cast(given, DType::float32);
  const Tensor valid = logical_not(isnan(x)), known = replaced(x, 0);
  const Tensor count = sum(cast(valid, x.dtype()), axis, true);
  const Tensor centered =
      where(valid, known - sum(known, axis, true) / count, zeros({}, x.dtype()));
  const Tensor y = sum(square(centered), axis, true) / count;
  return keepdims ? y : squeeze(y, axis);
}

Tensor nanstd(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanstd, x, axis, keepdims);
  return sqrt(nanvar(x, axis, keepdims));
}

Tensor nanmax(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanmax, x, axis, keepdims);
  if (!is_float(x.dtype())) return max(x, axis, keepdims);
  return nan_where_all(x, axis, keepdims, max(replaced(x, -inf), axis, keepdims));
}

Tensor nanmin(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanmin, x, axis, keepdims);
  if (!is_float(x.dtype())) return min(x, axis, keepdims);
  return nan_where_all(x, axis, keepdims, min(replaced(x, inf), axis, keepdims));
}

Tensor nanargmax(const Tensor& x, std::optional<int64_t> axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanargmax, x, axis, keepdims);
  const Tensor y = argmax(replaced(x, -inf), axis, keepdims);
  if (!is_float(x.dtype())) return y;
  return where(all(isnan(x), axis ? Axes(*axis) : Axes(), keepdims), Tensor(-1), y);
}

Tensor nanargmin(const Tensor& x, std::optional<int64_t> axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanargmin, x, axis, keepdims);
  const Tensor y = argmin(replaced(x, inf), axis, keepdims);
  if (!is_float(x.dtype())) return y;
  return where(all(isnan(x), axis ? Axes(*axis) : Axes(), keepdims), Tensor(-1), y);
}

Tensor nancumsum(const Tensor& x, std::optional<int64_t> axis, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&nancumsum, x, axis, dtype);
  return cumsum(replaced(x, 0), axis, dtype);
}

Tensor nancumprod(const Tensor& x, std::optional<int64_t> axis, OptionalDType dtype) {
  if (is_symbolic(x)) return symbolic_call(&nancumprod, x, axis, dtype);
  return cumprod(replaced(x, 1), axis, dtype);
}

Tensor nanquantile(const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
                   bool keepdims) {
  if (is_symbolic(x, q)) return symbolic_call(&nanquantile, x, q, axis, method, keepdims);
  return detail::quantiles(x, cast(q, DType::float32), axis, method, keepdims, true);
}

Tensor nanpercentile(const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
                     bool keepdims) {
  if (is_symbolic(x, q)) return symbolic_call(&nanpercentile, x, q, axis, method, keepdims);
  return detail::quantiles(x, cast(q, DType::float32) / Tensor(100.0), axis, method, keepdims,
                           true);
}

Tensor nanmedian(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&nanmedian, x, axis, keepdims);
  if (no_axes(axis, x)) return cast(x, x.dtype());
  return detail::quantiles(x, Tensor(0.5), axis, "linear", keepdims, true);
}

void list_numpy_nan_statistics(OpCatalog& catalog) {
  catalog.add("numpy.Nansum", {"x", "axis=None", "keepdims=False"}, &nansum);
  catalog.add("numpy.Nanprod", {"x", "axis=None", "keepdims=False"}, &nanprod);
  catalog.add("numpy.Nanmean", {"x", "axis=None", "keepdims=False"}, &nanmean);
  catalog.add("numpy.Nanvar", {"x", "axis=None", "keepdims=False"}, &nanvar);
  catalog.add("numpy.Nanstd", {"x", "axis=None", "keepdims=False"}, &nanstd);
  catalog.add("numpy.Nanmax", {"x", "axis=None", "keepdims=False"}, &nanmax);
  catalog.add("numpy.Nanmin", {"x", "axis=None", "keepdims=False"}, &nanmin);
  catalog.add("numpy.Nanargmax", {"x", "axis=None", "keepdims=False"}, &nanargmax);
  catalog.add("numpy.Nanargmin", {"x", "axis=None", "keepdims=False"}, &nanargmin);
  catalog.add("numpy.Nancumsum", {"x", "axis=None", "dtype=None"}, &nancumsum);
  catalog.add("numpy.Nancumprod", {"x", "axis=None", "dtype=None"}, &nancumprod);
  catalog.add("numpy.Nanquantile", {"x", "q", "axis=None", "method='linear'", "keepdims=False"},
              &nanquantile);
  catalog.add("numpy.Nanpercentile", {"x", "q", "axis=None", "method='linear'", "keepdims=False"},
              &nanpercentile);
  catalog.add("numpy.Nanmedian", {"x", "axis=None", "keepdims=False"}, &nanmedian);
}

}  // namespace cornu::ops
