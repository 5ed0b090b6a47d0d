// Sets, by sorting.
#include "sets.h"

#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/counting.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "indexing.h"
#include "joining.h"
#include "manipulation.h"
#include "reduction.h"
#include "sorting.h"

namespace cornu::ops {

namespace {

using backend::ScatterOp;

}  // namespace

Condition isin(const Tensor& x1, const Tensor& x2, bool assume_unique, bool invert) {
  if (is_symbolic(x1, x2)) return symbolic_call(&isin, x1, x2, assume_unique, invert);
  const DType given = result_type(detail::strong(x1), detail::strong(x2));
  const DType dtype = given == DType::boolean ? DType::int32 : given;
  const Tensor x = cast(x1, dtype), set = reshape(cast(x2, dtype), {-1});
  if (set.size() == 0) return full(x.shape(), Tensor(invert), DType::boolean);
  const Tensor ordered = sort(set, -1);
  const Tensor found = equal(take(ordered, searchsorted(ordered, x), 0),
                             x);  // a place beyond the end is clamped
  return invert ? logical_not(found) : found;
}

namespace {

// The order that sorts the rows of x (n, columns), the first column first.
Tensor row_order(const Tensor& x) {
  const int64_t columns = x.shape()[1];
  if (columns == 0) return detail::count_up(x.shape()[0]);
  // Stable sorts from the last column to the first.
  Tensor order = argsort(reshape(get_item(x, Value::List{Slice{}, columns - 1}), {-1}), -1);
  for (int64_t c = columns - 2; c >= 0; --c)
    order = take(order, argsort(take(get_item(x, Value::List{Slice{}, c}), order, 0), -1), 0);
  return order;
}

}  // namespace

Nest unique(const Tensor& x, bool sorted, bool return_index, bool return_inverse,
            bool return_counts, std::optional<int64_t> axis, std::optional<int64_t> size,
            std::optional<double> fill_value) {
  if (is_symbolic(x))
    return symbolic_call(&unique, x, sorted, return_index, return_inverse, return_counts, axis,
                         size, fill_value);
  const int along = axis ? normalize_axis(*axis, x.rank(), "unique: axis") : 0;
  const Tensor front = axis ? moveaxis(x, {along}, {0}) : reshape(x, {-1});  // (n, rest...)
  const int64_t n = front.shape()[0];
  const Shape rest = front.shape().slice(1);
  const bool bools = x.dtype() == DType::boolean;
  const Tensor rows = reshape(bools ? cast(front, DType::uint8) : front, {n, rest.numel()});
  std::vector<Tensor> results;
  Tensor order, group,
      place;  // row i of the sorted order, its group; the group of each row of x
  int64_t count = size.value_or(0);
  Tensor number = zeros({}, DType::int32);
  if (n > 0) {
    order = row_order(rows);
    const Tensor ordered = take(rows, order, 0);
    const Tensor fresh = any(not_equal(get_item(ordered, Value::List{Slice{1, {}, {}}}),
                                       get_item(ordered, Value::List{Slice{{}, -1, {}}})),
                             1);
    group = concatenate({zeros({1}, DType::int32), cumsum(cast(fresh, DType::int32))});
    number = get_item(group, Value::List{-1}) + Tensor(1);
    place = detail::scattered(n, order, group, ScatterOp::set);
    if (!size) count = detail::known_size(number, "unique", "Give its `size`.");
  }
  const Tensor known = less(detail::count_up(count), number);
  const auto filled = [&](const Tensor& values, double fill) {
    Shape shape = known.shape();
    while (shape.rank() < values.rank()) shape.push_back(1);
    return where(reshape(known, shape), values, cast(Tensor(fill), values.dtype()));
  };
  Tensor values = n > 0 ? detail::scattered(count, group, take(rows, order, 0), ScatterOp::set)
                        : zeros({count, rest.numel()}, rows.dtype());
  values = reshape(filled(values, fill_value.value_or(0)), concat({count}, rest));
  if (bools) values = cast(values, DType::boolean);
  results.push_back(axis ? moveaxis(values, {0}, {along}) : values);
  if (return_index) {
    // Equal rows stand in their order in x, so that the last one written from the end is the
    // first.
    const Tensor index = n > 0 ? detail::scattered(count, flip(group), flip(order), ScatterOp::set)
                               : zeros({count}, DType::int32);
    results.push_back(filled(index, 1));
  }
  if (return_inverse) {
    const Tensor inverse = n > 0 ? place : zeros({0}, DType::int32);
    results.push_back(axis ? inverse : reshape(inverse, x.shape()));
  }
  if (return_counts)
    results.push_back(n > 0
                          ? detail::scattered(count, group, ones({n}, DType::int32), ScatterOp::add)
                          : zeros({count}, DType::int32));
  return results.size() == 1 ? Nest(results[0]) : Nest(results);
}

void list_numpy_sets(OpCatalog& catalog) {
  catalog.add("numpy.IsIn", {"x1", "x2", "assume_unique=False", "invert=False"}, &isin);
  catalog.add("numpy.Unique",
              {"x", "sorted=True", "return_index=False", "return_inverse=False",
               "return_counts=False", "axis=None", "size=None", "fill_value=None"},
              &unique);
}

}  // namespace cornu::ops
