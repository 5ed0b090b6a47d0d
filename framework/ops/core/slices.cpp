// Slices and scatters as Copy and Scatter kernels.
#include "slices.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/custom_gradient.h"
#include "../../dispatch/strided.h"
#include "../catalog.h"
#include "../detail/counting.h"
#include "../elementwise.h"
#include "../integers.h"
#include "../numpy/arithmetic.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/joining.h"
#include "../numpy/manipulation.h"
#include "../numpy/sorting.h"
#include "../operators.h"
#include "cast.h"

namespace cornu::ops {

namespace {

// Of the overloads, those that are nodes of graphs.
constexpr Tensor (*slice_op)(const Tensor&, const Tensor&, const Integers&) = &slice;
constexpr Tensor (*slice_update_op)(const Tensor&, const Tensor&, const Tensor&) = &slice_update;

using backend::Scatter;

using backend::ScatterOp;

Tensor count_up(int64_t n) { return arange(0, n); }

// The positions along each axis of a box of `box` that begins at `start` in a tensor of `shape`.
std::vector<Tensor> positions(const Tensor& start, const Shape& shape, const Shape& box,
                              const char* name) {
  bool fits = start.rank() == 1 && start.shape()[0] == shape.rank() && box.rank() == shape.rank();
  for (int i = 0; fits && i < shape.rank(); ++i) fits = box[i] <= shape[i];
  if (!fits)
    throw ShapeError(fmt::format(
        "{}: a box of shape {}, whose start has shape {}, in a tensor of shape {}: there must be "
        "a start for each axis, and the box must not be larger.",
        name, box.str(), start.shape().str(), shape.str()));
  std::vector<Tensor> result;
  for (int i = 0; i < shape.rank(); ++i) {
    // As in JAX, a negative start counts from the end.
    const Tensor first = fused_in<backend::Domain::numeric>(
        [](Expr at, Expr size, Expr last) {
          return expr::minimum(expr::maximum(expr::select(at < 0.0, at + size, at), 0.0), last);
        },
        cast(get_item(start, Value::List{i}), DType::int32), Tensor(shape[i]),
        Tensor(shape[i] - box[i]));
    result.push_back(first + count_up(box[i]));
  }
  return result;
}

}  // namespace

Tensor slice(const Tensor& x, const Tensor& start, const Integers& sizes) {
  if (is_symbolic(x, start)) return symbolic_call(slice_op, x, start, sizes);
  const Shape shape = sizes.list();
  Tensor y = x;
  const auto places = positions(start, x.shape(), shape, "slice");
  for (int i = 0; i < x.rank(); ++i)
    if (shape[i] != x.shape()[i]) y = take(y, places[static_cast<size_t>(i)], i);
  return y;
}

Tensor slice_update(const Tensor& x, const Tensor& start, const Tensor& updates) {
  if (is_symbolic(x, start, updates)) return symbolic_call(slice_update_op, x, start, updates);
  const Shape& box = updates.shape();
  const auto places = positions(start, x.shape(), box, "slice_update");
  // Row-major positions in the flattened x.
  Tensor flat = zeros({}, DType::int32);
  int64_t stride = 1;
  for (int i = x.rank(); i-- > 0;) {
    Shape along;
    for (int k = 0; k < x.rank(); ++k) along.push_back(k == i ? box[i] : 1);
    flat = flat + reshape(places[static_cast<size_t>(i)], along) * Tensor(stride);
    stride *= x.shape()[i];
  }
  const Tensor y = apply(Scatter{0, false, ScatterOp::set},
                         {reshape(x, {x.size()}), reshape(broadcast_to(flat, box), {box.numel()}),
                          reshape(cast(updates, x.dtype()), {box.numel()})},
                         TensorSpec{Shape{x.size()}, x.dtype()});
  return reshape(y, x.shape());
}

namespace {

// Where indices (n..., k) point in a tensor of `shape`, as rows (m) of its first k axes taken as
// one.
struct Places {
  Tensor rows;    // int32; beyond the end where an index is out of range
  int64_t count;  // how many rows there are
  Shape rest;     // sizes of the axes behind
  int64_t updates;
};

Places places_of(const Tensor& given, const Shape& shape, const Shape& updates, const char* name) {
  const int64_t depth = given.rank() == 0 ? 0 : given.shape().back();
  const bool whole = given.rank() > 0 && !is_float(given.dtype()) && depth <= shape.rank();
  const Shape rest = whole ? shape.slice(static_cast<int>(depth)) : Shape{};
  if (!whole || concat(given.shape().slice(0, given.rank() - 1), rest) != updates)
    throw ShapeError(fmt::format(
        "{}: indices of shape {} ({}) and updates of shape {} do not fit shape {}: indices are "
        "integers (n..., k), updates (n..., the axes after the first k).",
        name, given.shape().str(), dtype_name(given.dtype()), updates.str(), shape.str()));
  const int64_t m = given.size() / std::max<int64_t>(depth, 1);
  const Tensor indices = reshape(cast(given, DType::int32), {depth == 0 ? 0 : m, depth});
  Places places{zeros({m}, DType::int32), 1, rest, m};
  Tensor inside = ones({m}, DType::boolean);
  for (int64_t i = depth; i-- > 0;) {
    const int64_t size = shape[static_cast<int>(i)];
    const Tensor raw = get_item(indices, Value::List{Slice{}, i});
    const Tensor index = where(less(raw, Tensor(0)), raw + Tensor(size), raw);
    inside = logical_and(inside,
                         logical_and(greater_equal(index, Tensor(0)), less(index, Tensor(size))));
    places.rows = places.rows + index * Tensor(places.count);
    places.count *= size;
  }
  places.rows = where(inside, places.rows, Tensor(places.count));
  return places;
}

Tensor scatter_rows(const Tensor& x, const Places& places, const Tensor& updates, ScatterOp how) {
  return apply(Scatter{0, false, how}, {x, places.rows, updates}, x.spec());
}

// An extreme. The kernel has no derivative, so that its result is used to find which elements won;
// these are averaged, and share the gradient.
Tensor scatter_extreme(const Tensor& x, const Places& places, const Tensor& updates,
                       ScatterOp how) {
  const Tensor y =
      scatter_rows(cornu::stop_gradient(x), places, cornu::stop_gradient(updates), how);
  if (!is_float(x.dtype())) return y;
  const Tensor zero = zeros({}, x.dtype());
  const Tensor kept = equal(x, y), won = equal(updates, take(y, places.rows, 0));
  const Tensor winners =
      scatter_rows(cast(kept, x.dtype()), places, cast(won, x.dtype()), ScatterOp::add);
  return scatter_rows(where(kept, x, zero), places, where(won, updates, zero), ScatterOp::add) /
         winners;
}

// The product of x and of all updates at each place.
Tensor scatter_product(const Tensor& x, const Places& places, const Tensor& updates) {
  const int64_t m = places.updates;
  if (m == 0) return x;
  // Updates of one place stand side by side; running products within a place take as many rounds as
  // halvings.
  const Tensor order = argsort(places.rows, -1);
  const Tensor row = take(places.rows, order, 0);
  Tensor product = take(updates, order, 0);
  Shape column = {m};
  while (column.rank() < x.rank()) column.push_back(1);
  for (int64_t distance = 1; distance < m; distance *= 2) {
    const Value::List head = {Slice{{}, m - distance, {}}}, tail = {Slice{distance, {}, {}}};
    const Tensor same = equal(get_item(row, head), get_item(row, tail));
    Shape shape = column;
    shape[0] = m - distance;
    const Tensor before = get_item(product, head), here = get_item(product, tail);
    product = concatenate({get_item(product, Value::List{Slice{{}, distance, {}}}),
                           where(reshape(same, shape), here * before, here)});
  }
  const Tensor last = concatenate({not_equal(get_item(row, Value::List{Slice{1, {}, {}}}),
                                             get_item(row, Value::List{Slice{{}, -1, {}}})),
                                   ones({1}, DType::boolean)});
  const Tensor zero = zeros({}, x.dtype());
  Places sorted = places;
  sorted.rows = row;
  const Tensor factors = scatter_rows(zeros(x.shape(), x.dtype()), sorted,
                                      where(reshape(last, column), product, zero), ScatterOp::add);
  const Tensor touched = scatter_rows(zeros(x.shape(), DType::int32), sorted,
                                      ones(product.shape(), DType::int32), ScatterOp::set);
  return where(cast(touched, DType::boolean), x * factors, x);
}

}  // namespace

Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape) {
  if (is_symbolic(indices, values)) return symbolic_call(&scatter, indices, values, shape);
  const Places places = places_of(indices, shape, values.shape(), "scatter");
  const Tensor blank = zeros(concat({places.count}, places.rest), values.dtype());
  const Tensor updates = reshape(values, concat({places.updates}, places.rest));
  return reshape(scatter_rows(blank, places, updates, ScatterOp::add), shape);
}

Tensor scatter_update(const Tensor& inputs, const Tensor& indices, const Tensor& given,
                      const std::optional<std::string>& reduction) {
  if (is_symbolic(inputs, indices, given))
    return symbolic_call(&scatter_update, inputs, indices, given, reduction);
  const Places places = places_of(indices, inputs.shape(), given.shape(), "scatter_update");
  const Tensor x = reshape(inputs, concat({places.count}, places.rest));
  const Tensor updates = reshape(cast(given, x.dtype()), concat({places.updates}, places.rest));
  Tensor y;
  if (!reduction)
    y = scatter_rows(x, places, updates, ScatterOp::set);
  else if (*reduction == "add")
    y = scatter_rows(x, places, updates, ScatterOp::add);
  else if (*reduction == "max")
    y = scatter_extreme(x, places, updates, ScatterOp::maximum);
  else if (*reduction == "min")
    y = scatter_extreme(x, places, updates, ScatterOp::minimum);
  else if (*reduction == "mul")
    y = scatter_product(x, places, updates);
  else
    throw ValueError(fmt::format(
        "scatter_update: reduction must be 'add', 'max', 'min' or 'mul', found '{}'.", *reduction));
  return reshape(y, inputs.shape());
}

std::vector<Tensor> unstack(const Tensor& x, std::optional<int64_t> num, int64_t axis) {
  const int a = normalize_axis(axis, x.rank(), "unstack: axis");
  if (is_symbolic(x)) {
    if (!num && x.shape()[a] == Shape::unknown)
      throw ValueError(
          fmt::format("unstack: the size of axis {} of shape {} is not known; give `num`.", a,
                      x.shape().str()));
    return symbolic_call(&unstack, x, num, axis);
  }
  const int64_t n = num.value_or(x.shape()[a]);
  if (n != x.shape()[a])
    throw ShapeError(fmt::format("unstack: axis {} has {} elements, not {}.", a, x.shape()[a], n));
  std::vector<Tensor> parts;
  for (int64_t i = 0; i < n; ++i) parts.push_back(squeeze(detail::copy_section(x, a, i, 1), a));
  return parts;
}

void list_core_slices(OpCatalog& catalog) {
  catalog.add("core.Slice", {"inputs", "start_indices", "shape"},
              static_cast<Tensor (*)(const Tensor&, const Tensor&, const Integers&)>(&slice));
  catalog.add("core.SliceUpdate", {"inputs", "start_indices", "updates"},
              static_cast<Tensor (*)(const Tensor&, const Tensor&, const Tensor&)>(&slice_update));
  catalog.add("core.Scatter", {"indices", "values", "shape"}, &scatter);
  catalog.add("core.ScatterUpdate", {"inputs", "indices", "updates", "reduction=None"},
              &scatter_update);
  catalog.add("core.Unstack", {"x", "num=None", "axis=0"}, &unstack);
}

}  // namespace cornu::ops
