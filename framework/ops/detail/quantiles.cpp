// Quantiles, by sorting.
#include "quantiles.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../numpy/sorting.h"
#include "../operators.h"
#include "strong.h"

namespace cornu::detail {

namespace {

// x with the axes that are reduced behind the others, as one axis.
struct Rows {
  Tensor values;
  Shape others;  // sizes of the axes that stay
};

Rows rows_of(const Tensor& x, const InlineVector<int, 6>& axes) {
  std::vector<int64_t> order;
  Rows rows;
  int64_t size = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      order.push_back(i);
      rows.others.push_back(x.shape()[i]);
    }
  for (int a : axes) {
    order.push_back(a);
    size *= x.shape()[a];
  }
  rows.values = ops::reshape(ops::transpose(x, order), concat(rows.others, {size}));
  return rows;
}

// How a method turns a place between elements into the two elements that it reads.
struct Method {
  Tensor lower, upper;
  Tensor share;  // of the lower one; none where only the lower one counts
};

Method method_of(const std::string& name, const Tensor& place, const Tensor& last) {
  using namespace ops;
  const auto index = [&](const Tensor& t) {
    return cast(minimum(maximum(t, Tensor(0.0)), last), DType::int32);
  };
  if (name == "lower") return {index(floor(place)), {}, {}};
  if (name == "higher") return {index(ceil(place)), {}, {}};
  if (name == "nearest") return {index(detail::round_even(place)), {}, {}};
  if (name == "midpoint") return {index(floor(place)), index(ceil(place)), Tensor(0.5)};
  if (name == "linear") {
    const Tensor lower = index(ceil(place) - 1.0);
    const Tensor upper = index(cast(lower, DType::float64) + 1.0);
    return {lower, upper, cast(upper, DType::float64) - place};
  }
  throw ValueError(fmt::format(
      "quantile: method must be 'linear', 'lower', 'higher', 'midpoint' or 'nearest', found "
      "'{}'.",
      name));
}

}  // namespace

Tensor quantiles(const Tensor& given, const Tensor& q, const Axes& axis, const std::string& method,
                 bool keepdims, bool skip_nan) {
  using namespace ops;
  const Tensor x = is_float(given.dtype()) ? given : ops::cast(given, DType::float32);
  const auto axes = axis.resolve(x.rank());
  const Rows rows = rows_of(x, axes);
  const int64_t size = rows.values.shape().back();
  if (size == 0)
    throw ShapeError(fmt::format("quantile: nothing to choose from in shape {}.", x.shape().str()));
  const Tensor sorted = ops::sort(rows.values, -1);
  const Tensor invalid = ops::isnan(rows.values);
  // Places are computed in float64: a float32 product would miss elements of long rows. (q)
  Tensor place = ops::cast(ops::reshape(detail::strong(q), {-1}), DType::float64);
  Tensor lower, upper, share, none;
  if (skip_nan) {
    // Each row has a last element of its own. (others..., q)
    const Tensor count = ops::sum(ops::cast(ops::logical_not(invalid), DType::float64), -1, true);
    const Tensor last = ops::maximum(count - 1.0, Tensor(0.0));
    const Method m = method_of(method, place * last, last);
    lower = ops::take_along_axis(sorted, m.lower, -1);
    if (m.upper) upper = ops::take_along_axis(sorted, m.upper, -1);
    share = m.share;
    none = ops::equal(count, Tensor(0.0));
  } else {
    const double last = static_cast<double>(size - 1);
    const Method m = method_of(method, place * last, Tensor(last));
    lower = ops::take(sorted, m.lower, -1);
    if (m.upper) upper = ops::take(sorted, m.upper, -1);
    share = m.share;
    none = ops::any(invalid, -1, true);
  }
  Tensor y = lower;
  if (upper)
    // An infinite element of which nothing is taken must not make a NaN.
    y = fused(
        [](Expr low, Expr high, Expr share) {
          const Expr l = expr::select(expr::isinf(low) * expr::equal(share, 0.0), 0.0, low);
          const Expr h = expr::select(expr::isinf(high) * expr::equal(share, 1.0), 0.0, high);
          return h * (1.0 - share) + l * share;
        },
        lower, upper, share.is_weak() ? share : ops::cast(share, x.dtype()));
  y = ops::where(none, Tensor(std::numeric_limits<double>::quiet_NaN()), y);
  Shape shape = q.shape();
  if (keepdims) {
    Shape kept = x.shape();
    for (int a : axes) kept[a] = 1;
    shape = concat(shape, kept);
  } else {
    shape = concat(shape, rows.others);
  }
  return ops::reshape(ops::moveaxis(y, {-1}, {0}), shape);
}

}  // namespace cornu::detail
