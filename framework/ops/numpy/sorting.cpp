// Sorts, and searches by halving.
#include "sorting.h"

#include <fmt/core.h>

#include <bit>

#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/sorting.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "indexing.h"
#include "manipulation.h"

namespace cornu::ops {

namespace {

Tensor sort_axis(const Tensor& given, std::optional<int64_t> axis, int output) {
  if (given.dtype() == DType::boolean) {
    const Tensor y = sort_axis(cast(given, DType::uint8), axis, output);
    return output == 0 ? cast(y, DType::boolean) : y;
  }
  const Tensor x = axis && given.rank() > 0 ? given : reshape(given, {-1});
  const int a = x.rank() == given.rank() ? normalize_axis(axis.value_or(0), x.rank()) : 0;
  if (a == x.rank() - 1) return detail::sorted_along(x, false, x.shape().back())[output];
  const Tensor last = swapaxes(x, a, -1);
  return swapaxes(detail::sorted_along(last, false, last.shape().back())[output], a, -1);
}

}  // namespace

Tensor sort(const Tensor& x, std::optional<int64_t> axis) {
  if (is_symbolic(x)) return symbolic_call(&sort, x, axis);
  return sort_axis(x, axis, 0);
}

Tensor argsort(const Tensor& x, std::optional<int64_t> axis) {
  if (is_symbolic(x)) return symbolic_call(&argsort, x, axis);
  return sort_axis(x, axis, 1);
}

namespace {

// NaN comes last in sorted vectors.
Tensor precedes(const Tensor& a, const Tensor& b, bool or_equal) {
  const Tensor plain = or_equal ? less_equal(a, b) : less(a, b);
  if (!is_float(b.dtype())) return plain;
  return logical_or(plain, or_equal ? isnan(b) : logical_and(isnan(b), logical_not(isnan(a))));
}

}  // namespace

Tensor searchsorted(const Tensor& sequence, const Tensor& given, const std::string& side) {
  if (is_symbolic(sequence, given)) return symbolic_call(&searchsorted, sequence, given, side);
  if (sequence.rank() != 1)
    throw ShapeError(
        fmt::format("searchsorted: the sorted sequence must be a vector, found shape {}.",
                    sequence.shape().str()));
  if (side != "left" && side != "right")
    throw ValueError(
        fmt::format("searchsorted: side must be 'left' or 'right', found '{}'.", side));
  const DType dtype = result_type(sequence, given);
  const Tensor sorted = cast(sequence, dtype), values = cast(given, dtype);
  const int64_t n = sorted.size();
  Tensor low = zeros(values.shape(), DType::int32);
  if (n == 0) return low;
  Tensor high = full(values.shape(), Tensor(n), DType::int32);
  // The answer is in [low, high], which each step halves.
  for (int steps = std::bit_width(static_cast<uint64_t>(n)); steps > 0; --steps) {
    const Tensor middle = fused_in<backend::Domain::numeric>(
        [](Expr a, Expr b) { return a + expr::floor_divide(b - a, 2.0); }, low, high);
    const Tensor open = less(low, high);
    const Tensor after = precedes(take(sorted, middle, 0), values, side == "right");
    low = where(logical_and(open, after), middle + Tensor(1), low);
    high = where(logical_and(open, logical_not(after)), middle, high);
  }
  return low;
}

Tensor digitize(const Tensor& x, const Tensor& bins) {
  if (is_symbolic(x, bins)) return symbolic_call(&digitize, x, bins);
  if (bins.rank() != 1 || bins.size() == 0) return searchsorted(bins, x, "right");
  // Falling bins are numbered from their end.
  const Condition rising =
      greater_equal(get_item(bins, Value::List{-1}), get_item(bins, Value::List{0}));
  const Tensor place = searchsorted(where(rising, bins, flip(bins)), x, "right");
  return where(rising, place, Tensor(bins.size()) - place);
}

Tensor argpartition(const Tensor& given, int64_t kth, std::optional<int64_t> axis) {
  if (is_symbolic(given)) return symbolic_call(&argpartition, given, kth, axis);
  const Tensor flat = axis ? given : reshape(given, {-1});
  const int along = normalize_axis(axis.value_or(0), flat.rank(), "argpartition: axis");
  const Tensor x = moveaxis(flat, {along}, {-1});
  const int64_t n = x.shape().back(), k = kth < 0 ? kth + n : kth;
  if (k < 0 || k >= n)
    throw ShapeError(fmt::format("argpartition: element {} of an axis of size {}.", kth, n));
  // The k + 1 smallest in rising order, then the others as they stand.
  const Tensor order = argsort(x, -1);
  const Tensor rank = argsort(order, -1);
  const Tensor key = minimum(rank, Tensor(k + 1));
  return moveaxis(argsort(key, -1), {-1}, {along});
}

void list_numpy_sorting(OpCatalog& catalog) {
  catalog.add("numpy.Sort", {"x", "axis=-1"}, &sort);
  catalog.add("numpy.Argsort", {"x", "axis=-1"}, &argsort);
  catalog.add("numpy.SearchSorted", {"sorted_sequence", "values", "side='left'"}, &searchsorted);
  catalog.add("numpy.Digitize", {"x", "bins"}, &digitize);
  catalog.add("numpy.Argpartition", {"x", "kth", "axis=-1"}, &argpartition);
}

}  // namespace cornu::ops
