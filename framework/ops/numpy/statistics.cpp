// Statistics as compositions of sorts, gathers and reductions.
#include "statistics.h"

#include <fmt/core.h>

#include <algorithm>

#include "../catalog.h"
#include "../core/cast.h"
#include "creation.h"
#include "indexing.h"
#include "../operators.h"
#include "../detail/quantiles.h"
#include "reduction.h"
#include "sets.h"
#include "manipulation.h"

namespace cornu {
namespace detail {
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
  if (name == "nearest") return {index(round_even(place)), {}, {}};
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
  const Tensor x = is_float(given.dtype()) ? given : cast(given, DType::float32);
  const auto axes = axis.resolve(x.rank());
  const Rows rows = rows_of(x, axes);
  const int64_t size = rows.values.shape().back();
  if (size == 0)
    throw ShapeError(fmt::format("quantile: nothing to choose from in shape {}.", x.shape().str()));
  const Tensor sorted = sort(rows.values, -1);
  const Tensor invalid = isnan(rows.values);
  // Places are computed in float64: a float32 product would miss elements of long rows. (q)
  Tensor place = cast(reshape(strong(q), {-1}), DType::float64);
  Tensor lower, upper, share, none;
  if (skip_nan) {
    // Each row has a last element of its own. (others..., q)
    const Tensor count = sum(cast(logical_not(invalid), DType::float64), -1, true);
    const Tensor last = maximum(count - 1.0, Tensor(0.0));
    const Method m = method_of(method, place * last, last);
    lower = take_along_axis(sorted, m.lower, -1);
    if (m.upper) upper = take_along_axis(sorted, m.upper, -1);
    share = m.share;
    none = equal(count, Tensor(0.0));
  } else {
    const double last = static_cast<double>(size - 1);
    const Method m = method_of(method, place * last, Tensor(last));
    lower = take(sorted, m.lower, -1);
    if (m.upper) upper = take(sorted, m.upper, -1);
    share = m.share;
    none = any(invalid, -1, true);
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
        lower, upper, share.is_weak() ? share : cast(share, x.dtype()));
  y = where(none, Tensor(std::numeric_limits<double>::quiet_NaN()), y);
  Shape shape = q.shape();
  if (keepdims) {
    Shape kept = x.shape();
    for (int a : axes) kept[a] = 1;
    shape = concat(shape, kept);
  } else {
    shape = concat(shape, rows.others);
  }
  return reshape(moveaxis(y, {-1}, {0}), shape);
}

}  // namespace detail

namespace ops {

Tensor average(const Tensor& x, const Axes& axis, const std::optional<Tensor>& weights) {
  return op(
      &average,
      [](const Tensor& x, const Axes& axis, const std::optional<Tensor>& weights) {
        if (!weights || !*weights) return mean(x, axis);
        const PromotionType types[] = {promotion_type(x), promotion_type(*weights)};
        const DType dtype = float_result_type(types);
        Tensor w = cast(*weights, dtype);
        const auto axes = axis.resolve(x.rank());
        if (w.rank() != x.rank()) {
          if (w.rank() != 1 || axes.size() != 1 || w.shape()[0] != x.shape()[axes[0]])
            throw ShapeError(fmt::format(
                "average: weights of shape {} fit neither shape {} nor its axis to average over.",
                w.shape().str(), x.shape().str()));
          Shape along;
          for (int i = 0; i < x.rank(); ++i) along.push_back(i == axes[0] ? w.shape()[0] : 1);
          w = reshape(w, along);
        }
        return sum(cast(x, dtype) * w, axis) / sum(w, axis);
      },
      x, axis, weights);
}

Tensor quantile(const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
                bool keepdims) {
  return op(
      &quantile,
      [](const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
         bool keepdims) { return detail::quantiles(x, q, axis, method, keepdims, false); },
      x, q, axis, method, keepdims);
}

Tensor percentile(const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
                  bool keepdims) {
  return op(
      &percentile,
      [](const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
         bool keepdims) {
        return detail::quantiles(x, cast(q, DType::float32) / Tensor(100.0), axis, method, keepdims,
                                 false);
      },
      x, q, axis, method, keepdims);
}

Tensor median(const Tensor& x, const Axes& axis, bool keepdims) {
  return op(
      &median,
      [](const Tensor& x, const Axes& axis, bool keepdims) {
        return detail::quantiles(x, Tensor(0.5), axis, "linear", keepdims, false);
      },
      x, axis, keepdims);
}

Tensor diff(const Tensor& a, int64_t n, int64_t axis) {
  return op(
      &diff,
      [](const Tensor& a, int64_t n, int64_t axis) {
        if (n < 0) throw ValueError(fmt::format("diff: n must not be negative, found {}.", n));
        const int along = normalize_axis(axis, a.rank(), "diff: axis");
        Value::List later(static_cast<size_t>(along), Slice{}), earlier = later;
        later.push_back(Slice{1, {}, {}});
        earlier.push_back(Slice{{}, -1, {}});
        Tensor y = strong(a);
        for (int64_t i = 0; i < n; ++i) {
          const Tensor second = get_item(y, later), first = get_item(y, earlier);
          y = y.dtype() == DType::boolean ? not_equal(second, first) : second - first;
        }
        return y;
      },
      a, n, axis);
}

Tensor trapezoid(const Tensor& y, const std::optional<Tensor>& x, double dx, int64_t axis) {
  return op(
      &trapezoid,
      [](const Tensor& given, const std::optional<Tensor>& x, double dx, int64_t axis) {
        const int along = normalize_axis(axis, given.rank(), "trapezoid: axis");
        const Tensor y = is_float(given.dtype()) ? given : cast(given, DType::float32);
        Value::List later(static_cast<size_t>(along), Slice{}), earlier = later;
        later.push_back(Slice{1, {}, {}});
        earlier.push_back(Slice{{}, -1, {}});
        Tensor widths(dx);
        if (x && *x) {
          const Tensor places = cast(*x, y.dtype());
          // A vector of places runs along the axis.
          widths = diff(places, 1, places.rank() == 1 ? -1 : axis);
          if (places.rank() == 1 && y.rank() > 1) {
            Shape shape;
            for (int i = 0; i < y.rank(); ++i) shape.push_back(i == along ? widths.size() : 1);
            widths = reshape(widths, shape);
          }
        }
        return sum((get_item(y, later) + get_item(y, earlier)) * widths * Tensor(0.5), along);
      },
      y, x, dx, axis);
}

std::vector<Tensor> histogram(const Tensor& x, int64_t bins,
                              const std::optional<std::vector<double>>& range) {
  return op(
      &histogram,
      [](const Tensor& given, int64_t bins, const std::optional<std::vector<double>>& range) {
        if (given.rank() != 1)
          throw ShapeError(
              fmt::format("histogram: takes a vector, found shape {}.", given.shape().str()));
        if (bins < 1)
          throw ValueError(fmt::format("histogram: bins must be positive, found {}.", bins));
        if (range && (range->size() != 2 || (*range)[1] < (*range)[0]))
          throw ValueError("histogram: range is a lower and an upper bound.");
        const Tensor x = is_float(given.dtype()) ? given : cast(given, DType::float32);
        Tensor low = range ? cast(Tensor((*range)[0]), x.dtype()) : min(x);
        Tensor high = range ? cast(Tensor((*range)[1]), x.dtype()) : max(x);
        // One value alone stands in the middle of an interval of length 1.
        const Tensor flat = cast(equal(low, high), x.dtype()) * Tensor(0.5);
        low = low - flat;
        high = high + flat;
        const Tensor edges = linspace(low, high, bins + 1);
        Tensor counts = zeros({bins}, x.dtype());
        const Tensor inside = logical_and(greater_equal(x, low), less_equal(x, high));
        const Tensor inner = get_item(edges, Value::List{Slice{1, -1, {}}});
        const Tensor place =
            bins == 1 ? zeros_like(x, DType::int32) : searchsorted(inner, x, "right");
        counts = apply(backend::Scatter{}, {counts, place, cast(inside, x.dtype())}, counts.spec());
        return std::vector<Tensor>{counts, edges};
      },
      x, bins, range);
}

void list_statistics(OpCatalog& catalog) {
  catalog.add("numpy.Average", {"x", "axis=None", "weights=None"}, &average);
  catalog.add("numpy.Quantile", {"x", "q", "axis=None", "method='linear'", "keepdims=False"},
              &quantile);
  catalog.add("numpy.Percentile", {"x", "q", "axis=None", "method='linear'", "keepdims=False"},
              &percentile);
  catalog.add("numpy.Median", {"x", "axis=None", "keepdims=False"}, &median);
  catalog.add("numpy.Diff", {"a", "n=1", "axis=-1"}, &diff);
  catalog.add("numpy.Trapezoid", {"y", "x=None", "dx=1.0", "axis=-1"}, &trapezoid);
  catalog.add("numpy.Histogram", {"x", "bins=10", "range=None"}, &histogram);
}

}  // namespace ops
}  // namespace cornu
