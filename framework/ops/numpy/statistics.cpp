// Statistics that are made of sums and sorts.
#include "statistics.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/counting.h"
#include "../detail/quantiles.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../operators.h"
#include "arithmetic.h"
#include "creation.h"
#include "indexing.h"
#include "manipulation.h"
#include "matrices.h"
#include "products.h"
#include "reduction.h"
#include "sorting.h"

namespace cornu::ops {

Tensor average(const Tensor& x, const Axes& axis, const std::optional<Tensor>& weights) {
  if (is_symbolic(x, weights)) return symbolic_call(&average, x, axis, weights);
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
}

Tensor quantile(const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
                bool keepdims) {
  if (is_symbolic(x, q)) return symbolic_call(&quantile, x, q, axis, method, keepdims);
  return detail::quantiles(x, q, axis, method, keepdims, false);
}

Tensor percentile(const Tensor& x, const Tensor& q, const Axes& axis, const std::string& method,
                  bool keepdims) {
  if (is_symbolic(x, q)) return symbolic_call(&percentile, x, q, axis, method, keepdims);
  return detail::quantiles(x, cast(q, DType::float32) / Tensor(100.0), axis, method, keepdims,
                           false);
}

Tensor median(const Tensor& x, const Axes& axis, bool keepdims) {
  if (is_symbolic(x)) return symbolic_call(&median, x, axis, keepdims);
  return detail::quantiles(x, Tensor(0.5), axis, "linear", keepdims, false);
}

Tensor diff(const Tensor& a, int64_t n, int64_t axis) {
  if (is_symbolic(a)) return symbolic_call(&diff, a, n, axis);
  if (n < 0) throw ValueError(fmt::format("diff: n must not be negative, found {}.", n));
  const int along = normalize_axis(axis, a.rank(), "diff: axis");
  Value::List later(static_cast<size_t>(along), Slice{}), earlier = later;
  later.push_back(Slice{1, {}, {}});
  earlier.push_back(Slice{{}, -1, {}});
  Tensor y = detail::strong(a);
  for (int64_t i = 0; i < n; ++i) {
    const Tensor second = get_item(y, later), first = get_item(y, earlier);
    y = y.dtype() == DType::boolean ? not_equal(second, first) : second - first;
  }
  return y;
}

Tensor trapezoid(const Tensor& given, const std::optional<Tensor>& x, double dx, int64_t axis) {
  if (is_symbolic(given, x)) return symbolic_call(&trapezoid, given, x, dx, axis);
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
}

namespace {

// Under the types that arguments of recorded calls have.
TensorTuple<2> histogram_of_tensor(const Tensor& given, int64_t bins,
                                   const std::optional<std::vector<double>>& range) {
  if (is_symbolic(given)) return symbolic_call(histogram_of_tensor, given, bins, range);
  if (given.rank() != 1)
    throw ShapeError(
        fmt::format("histogram: takes a vector, found shape {}.", given.shape().str()));
  if (bins < 1) throw ValueError(fmt::format("histogram: bins must be positive, found {}.", bins));
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
  const Tensor place = bins == 1 ? zeros_like(x, DType::int32) : searchsorted(inner, x, "right");
  counts = apply(backend::Scatter{}, {counts, place, cast(inside, x.dtype())}, counts.spec());
  return std::vector<Tensor>{counts, edges};
}

}  // namespace

TensorTuple<2> histogram(const Tensor& x, int64_t bins, const HistogramRange& range) {
  return histogram_of_tensor(x, bins, range);
}

TensorTuple<2> histogram(const Tensor& x, const HistogramOptions& options) {
  return histogram_of_tensor(x, options.bins, options.range);
}

namespace {

using backend::ScatterOp;

}  // namespace

Tensor bincount(const Tensor& given, const std::optional<Tensor>& weights, int64_t minlength,
                bool sparse) {
  if (is_symbolic(given, weights))
    return symbolic_call(&bincount, given, weights, minlength, sparse);
  if (sparse)
    throw UnsupportedError("bincount: sparse results are not supported; leave sparse false.");
  if (is_float(given.dtype()) || given.rank() < 1 || given.rank() > 2)
    throw ShapeError(fmt::format("bincount: takes integers (n) or (rows, n), found {} {}.",
                                 dtype_name(given.dtype()), given.shape().str()));
  const Tensor x = cast(given, DType::int32);
  const int64_t count =
      x.size() == 0
          ? minlength
          : std::max(
                minlength,
                detail::known_size(max(x), "bincount", "Count with one_hot and sum instead.") + 1);
  const bool weighted = weights && *weights;
  const DType dtype = weighted ? result_type(given, *weights) : DType::int32;
  const Tensor updates = weighted ? cast(*weights, dtype) : ones(x.shape(), dtype);
  if (updates.shape() != x.shape())
    throw ShapeError(fmt::format("bincount: weights of shape {} for x of shape {}.",
                                 updates.shape().str(), x.shape().str()));
  if (x.rank() == 1) return detail::scattered(count, x, updates, ScatterOp::add);
  const int64_t rows = x.shape()[0];
  const Tensor row = reshape(detail::count_up(rows), {-1, 1}) * Tensor(count);
  return reshape(detail::scattered(rows * count, reshape(x + row, {-1}), reshape(updates, {-1}),
                                   ScatterOp::add),
                 {rows, count});
}

Tensor corrcoef(const Tensor& given) {
  if (is_symbolic(given)) return symbolic_call(&corrcoef, given);
  if (given.rank() == 0 || given.rank() > 2)
    throw ShapeError(
        fmt::format("corrcoef: takes (variables, samples), found shape {}.", given.shape().str()));
  Tensor x = is_float(given.dtype()) ? given : cast(given, DType::float32);
  if (x.rank() == 1) x = reshape(x, {1, -1});
  const Tensor centered = x - mean(x, -1, true);
  const Tensor products = matmul_transposed(centered, centered, false, true);
  const Tensor lengths = sqrt(diagonal(products));
  const Tensor y = clip(products / outer(lengths, lengths), -1.0, 1.0);
  return given.rank() == 1 ? reshape(y, {}) : y;
}

Tensor correlate(const Tensor& x1, const Tensor& x2, const std::string& mode) {
  if (is_symbolic(x1, x2)) return symbolic_call(&correlate, x1, x2, mode);
  if (x1.rank() != 1 || x2.rank() != 1 || x1.size() == 0 || x2.size() == 0)
    throw ShapeError(
        fmt::format("correlate: takes two vectors that are not empty, found shapes {} and {}.",
                    x1.shape().str(), x2.shape().str()));
  if (mode != "valid" && mode != "same" && mode != "full")
    throw ValueError(
        fmt::format("correlate: mode must be 'valid', 'same' or 'full', found '{}'.", mode));
  DType dtype = result_type(x1, x2);
  if (!is_float(dtype)) dtype = dtype == DType::int64 ? DType::float64 : DType::float32;
  const Tensor x = cast(x1, dtype), y = cast(x2, dtype);
  const int64_t n = x.size(), m = y.size();
  // The longer one first, as NumPy has it: where "same" begins depends on it.
  if (mode != "full" && n < m) return flip(correlate(y, x, mode));
  int64_t first = 0, count = n - m + 1;
  if (mode != "valid") {
    // The stretches of x with m - 1 zeros on either side.
    count = mode == "full" ? n + m - 1 : n;
    first = (n + m - 1 - count) / 2;
  }
  const Tensor padded = mode == "valid" ? x : pad(x, {{m - 1, m - 1}});
  const Tensor starts = reshape(arange(first, first + count), {-1, 1});
  return matmul(take(padded, starts + arange(0, m), 0), y);
}

void list_numpy_statistics(OpCatalog& catalog) {
  catalog.add("numpy.Bincount", {"x", "weights=None", "minlength=0", "sparse=False"}, &bincount);
  catalog.add("numpy.Average", {"x", "axis=None", "weights=None"}, &average);
  catalog.add("numpy.Quantile", {"x", "q", "axis=None", "method='linear'", "keepdims=False"},
              &quantile);
  catalog.add("numpy.Percentile", {"x", "q", "axis=None", "method='linear'", "keepdims=False"},
              &percentile);
  catalog.add("numpy.Median", {"x", "axis=None", "keepdims=False"}, &median);
  catalog.add("numpy.Diff", {"a", "n=1", "axis=-1"}, &diff);
  catalog.add("numpy.Trapezoid", {"y", "x=None", "dx=1.0", "axis=-1"}, &trapezoid);
  catalog.add("numpy.Histogram", {"x", "bins=10", "range=None"}, histogram_of_tensor);
  catalog.add("numpy.Corrcoef", {"x"}, &corrcoef);
  catalog.add("numpy.Correlate", {"x1", "x2", "mode='valid'"}, &correlate);
}

}  // namespace cornu::ops
