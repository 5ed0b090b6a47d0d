// Searching by halving, counting by scattering, and sets by sorting.
#include "sets.h"

#include <fmt/core.h>

#include <bit>

#include "../catalog.h"
#include "../core/cast.h"
#include "creation.h"
#include "indexing.h"
#include "../operators.h"
#include "reduction.h"
#include "manipulation.h"

namespace cornu::ops {
namespace {

using backend::Scatter;
using backend::ScatterOp;

Tensor count_up(int64_t n) { return arange(0, n); }

// Writes or adds `updates` (m, rest...) at `indices` (m) of `count` slices of zeros.
Tensor scattered(int64_t count, const Tensor& indices, const Tensor& updates, ScatterOp how) {
  const Shape shape = concat({count}, updates.shape().slice(1));
  return apply(Scatter{0, false, how}, {zeros(shape, updates.dtype()), indices, updates},
               TensorSpec{shape, updates.dtype()});
}

// A number that the shape of a result follows from.
int64_t known_size(const Tensor& count, const char* name, const char* remedy) {
  if (!count.is_eager())
    throw UnsupportedError(fmt::format(
        "{}: the shape of the result follows from the values of x, which are not known in "
        "a graph. {}",
        name, remedy));
  return static_cast<int64_t>(count.item());
}

// NaN comes last in sorted vectors.
Tensor precedes(const Tensor& a, const Tensor& b, bool or_equal) {
  const Tensor plain = or_equal ? less_equal(a, b) : less(a, b);
  if (!is_float(b.dtype())) return plain;
  return logical_or(plain, or_equal ? isnan(b) : logical_and(isnan(b), logical_not(isnan(a))));
}

}  // namespace

Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values, const std::string& side) {
  return op(
      &searchsorted,
      [](const Tensor& sequence, const Tensor& given, const std::string& side) {
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
      },
      sorted_sequence, values, side);
}

Tensor digitize(const Tensor& x, const Tensor& bins) {
  return op(
      &digitize, [](const Tensor& x, const Tensor& bins) { return searchsorted(bins, x, "right"); },
      x, bins);
}

Tensor isin(const Tensor& x1, const Tensor& x2, bool assume_unique, bool invert) {
  return op(
      &isin,
      [](const Tensor& x1, const Tensor& x2, bool, bool invert) {
        const DType given = result_type(strong(x1), strong(x2));
        const DType dtype = given == DType::boolean ? DType::int32 : given;
        const Tensor x = cast(x1, dtype), set = reshape(cast(x2, dtype), {-1});
        if (set.size() == 0) return full(x.shape(), Tensor(invert), DType::boolean);
        const Tensor ordered = sort(set, -1);
        const Tensor found = equal(take(ordered, searchsorted(ordered, x), 0),
                                   x);  // a place beyond the end is clamped
        return invert ? logical_not(found) : found;
      },
      x1, x2, assume_unique, invert);
}

Tensor bincount(const Tensor& x, const std::optional<Tensor>& weights, int64_t minlength,
                bool sparse) {
  return op(
      &bincount,
      [](const Tensor& given, const std::optional<Tensor>& weights, int64_t minlength,
         bool sparse) {
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
                      known_size(max(x), "bincount", "Count with one_hot and sum instead.") + 1);
        const bool weighted = weights && *weights;
        const DType dtype = weighted ? result_type(given, *weights) : DType::int32;
        const Tensor updates = weighted ? cast(*weights, dtype) : ones(x.shape(), dtype);
        if (updates.shape() != x.shape())
          throw ShapeError(fmt::format("bincount: weights of shape {} for x of shape {}.",
                                       updates.shape().str(), x.shape().str()));
        if (x.rank() == 1) return scattered(count, x, updates, ScatterOp::add);
        const int64_t rows = x.shape()[0];
        const Tensor row = reshape(count_up(rows), {-1, 1}) * Tensor(count);
        return reshape(
            scattered(rows * count, reshape(x + row, {-1}), reshape(updates, {-1}), ScatterOp::add),
            {rows, count});
      },
      x, weights, minlength, sparse);
}

namespace {

// The order that sorts the rows of x (n, columns), the first column first.
Tensor row_order(const Tensor& x) {
  const int64_t columns = x.shape()[1];
  if (columns == 0) return count_up(x.shape()[0]);
  // Stable sorts from the last column to the first.
  Tensor order = argsort(reshape(get_item(x, Value::List{Slice{}, columns - 1}), {-1}), -1);
  for (int64_t c = columns - 2; c >= 0; --c)
    order = take(order, argsort(take(get_item(x, Value::List{Slice{}, c}), order, 0), -1), 0);
  return order;
}

}  // namespace

std::vector<Tensor> unique(const Tensor& x, bool sorted, bool return_index, bool return_inverse,
                           bool return_counts, std::optional<int64_t> axis,
                           std::optional<int64_t> size, std::optional<double> fill_value) {
  return op(
      &unique,
      [](const Tensor& x, bool, bool return_index, bool return_inverse, bool return_counts,
         std::optional<int64_t> axis, std::optional<int64_t> size,
         std::optional<double> fill_value) {
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
          place = scattered(n, order, group, ScatterOp::set);
          if (!size) count = known_size(number, "unique", "Give its `size`.");
        }
        const Tensor known = less(count_up(count), number);
        const auto filled = [&](const Tensor& values, double fill) {
          Shape shape = known.shape();
          while (shape.rank() < values.rank()) shape.push_back(1);
          return where(reshape(known, shape), values, cast(Tensor(fill), values.dtype()));
        };
        Tensor values = n > 0 ? scattered(count, group, take(rows, order, 0), ScatterOp::set)
                              : zeros({count, rest.numel()}, rows.dtype());
        values = reshape(filled(values, fill_value.value_or(0)), concat({count}, rest));
        if (bools) values = cast(values, DType::boolean);
        results.push_back(axis ? moveaxis(values, {0}, {along}) : values);
        if (return_index) {
          // Equal rows stand in their order in x, so that the last one written from the end is the
          // first.
          const Tensor index = n > 0 ? scattered(count, flip(group), flip(order), ScatterOp::set)
                                     : zeros({count}, DType::int32);
          results.push_back(filled(index, 1));
        }
        if (return_inverse) {
          const Tensor inverse = n > 0 ? place : zeros({0}, DType::int32);
          results.push_back(axis ? inverse : reshape(inverse, x.shape()));
        }
        if (return_counts)
          results.push_back(n > 0 ? scattered(count, group, ones({n}, DType::int32), ScatterOp::add)
                                  : zeros({count}, DType::int32));
        return results;
      },
      x, sorted, return_index, return_inverse, return_counts, axis, size, fill_value);
}

std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape) {
  return op(
      &unravel_index,
      [](const Tensor& given, const Shape& shape) {
        if (!shape.known())
          throw ValueError("unravel_index: every size of the shape must be known.");
        Tensor rest = strong(given);
        std::vector<Tensor> places(static_cast<size_t>(shape.rank()));
        for (int i = shape.rank(); i-- > 0;) {
          const Tensor size = cast(Tensor(shape[i]), rest.dtype());
          places[static_cast<size_t>(i)] = mod(rest, size);
          rest = floor_divide(rest, size);
        }
        return places;
      },
      indices, shape);
}

std::vector<Tensor> nonzero(const Tensor& x) {
  return op(
      &nonzero,
      [](const Tensor& x) {
        const Tensor found = reshape(cast(x, DType::boolean), {-1});
        const Tensor order = cumsum(found);
        const int64_t n = found.size();
        const int64_t count = n == 0 ? 0
                                     : known_size(get_item(order, Value::List{-1}), "nonzero",
                                                  "Use where or a mask instead.");
        // Each one goes to its place in the order of those found, the others beyond the end.
        const Tensor place = where(found, order - Tensor(1), Tensor(count));
        return unravel_index(n == 0 ? zeros({0}, DType::int32)
                                    : scattered(count, place, count_up(n), ScatterOp::set),
                             x.rank() == 0 ? Shape{1} : x.shape());
      },
      x);
}

Tensor argpartition(const Tensor& x, int64_t kth, std::optional<int64_t> axis) {
  return op(
      &argpartition,
      [](const Tensor& given, int64_t kth, std::optional<int64_t> axis) {
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
      },
      x, kth, axis);
}

namespace {

// As Keras has it: the values alone where nothing else is asked for.
Nest listed_unique(const Tensor& x, bool sorted, bool return_index, bool return_inverse,
                   bool return_counts, std::optional<int64_t> axis, std::optional<int64_t> size,
                   std::optional<double> fill_value) {
  const std::vector<Tensor> results =
      unique(x, sorted, return_index, return_inverse, return_counts, axis, size, fill_value);
  return results.size() == 1 ? Nest(results[0]) : Nest(results);
}

}  // namespace

void list_sets(OpCatalog& catalog) {
  catalog.add("numpy.SearchSorted", {"sorted_sequence", "values", "side='left'"}, &searchsorted);
  catalog.add("numpy.Digitize", {"x", "bins"}, &digitize);
  catalog.add("numpy.IsIn", {"x1", "x2", "assume_unique=False", "invert=False"}, &isin);
  catalog.add("numpy.Bincount", {"x", "weights=None", "minlength=0", "sparse=False"}, &bincount);
  catalog.add("numpy.Unique",
              {"x", "sorted=True", "return_index=False", "return_inverse=False",
               "return_counts=False", "axis=None", "size=None", "fill_value=None"},
              &listed_unique);
  catalog.add("numpy.Unique",
              {"x", "sorted=True", "return_index=False", "return_inverse=False",
               "return_counts=False", "axis=None", "size=None", "fill_value=None"},
              &unique);
  catalog.add("numpy.UnravelIndex", {"indices", "shape"}, &unravel_index);
  catalog.add("numpy.Nonzero", {"x"}, &nonzero);
  catalog.add("numpy.Argpartition", {"x", "kth", "axis=-1"}, &argpartition);
}

}  // namespace cornu::ops
