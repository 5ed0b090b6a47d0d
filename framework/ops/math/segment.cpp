// Segments: one Scatter.
#include "segment.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "../../dispatch/complex.h"
#include "../../dispatch/custom_gradient.h"
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

int64_t count_segments(const Tensor& data, const Tensor& ids, std::optional<int64_t> given,
                       const char* who) {
  if (ids.rank() != 1 || data.rank() == 0 || ids.shape()[0] != data.shape()[0])
    throw ShapeError(fmt::format(
        "{}: segment_ids of shape {} must be a vector with an id for each row of data of "
        "shape {}.",
        who, ids.shape().str(), data.shape().str()));
  if (is_float(ids.dtype()))
    throw ValueError(
        fmt::format("{}: segment_ids must be integers, found {}.", who, dtype_name(ids.dtype())));
  if (given) return *given;
  if (!ids.is_eager())
    throw ValueError(
        fmt::format("{}: num_segments must be given where segment_ids have no values yet.", who));
  int64_t largest = -1;
  for (int64_t id : ids.to_vector<int64_t>()) largest = std::max(largest, id);
  return largest + 1;
}

Tensor ids_of(const Tensor& ids) {
  return ids.dtype() == DType::int64 ? ids : cast(ids, DType::int32);
}

// The least number of a dtype, or with `largest` the greatest.
Tensor extreme(DType dtype, bool largest, const Shape& shape) {
  if (is_float(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return full(shape, largest ? infinity : -infinity, dtype);
  }
  return dispatch(dtype, [&]<class T>() -> Tensor {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const T value = largest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
      return broadcast_to(Tensor::from_host(&value, {}), shape);
    } else {
      return full(shape, largest, dtype);
    }
  });
}

// Ids (n) and whether each is that of a segment, shaped to go with rows of data.
struct RowPlaces {
  Tensor ids, inside;
};

RowPlaces places_of(const Tensor& data, const Tensor& ids, int64_t count) {
  Shape column = {ids.size()};
  for (int i = 1; i < data.rank(); ++i) column.push_back(1);
  const Tensor inside = logical_and(greater_equal(ids, 0), less(ids, count));
  return {where(inside, ids_of(ids), zeros_like(ids_of(ids))), reshape(inside, column)};
}

Tensor scatter_rows(const Tensor& start, const Tensor& ids, const Tensor& data,
                    backend::ScatterOp how) {
  return apply(backend::Scatter{0, false, how}, {start, ids, data}, start.spec());
}

Shape with_rows(const Tensor& data, int64_t count) {
  Shape shape = data.shape();
  shape[0] = count;
  return shape;
}

Tensor sum_rows(const Tensor& data, const Tensor& ids, int64_t count) {
  const RowPlaces at = places_of(data, ids, count);
  return scatter_rows(zeros(with_rows(data, count), data.dtype()), at.ids,
                      where(at.inside, data, zeros_like(data)), backend::ScatterOp::add);
}

// The gradient goes to the rows that have the extreme, in equal shares.
Tensor extreme_rows(const Tensor& given, const Tensor& ids, int64_t count, bool largest) {
  return custom_gradient(
      given, [&](const Tensor& data) -> std::pair<Tensor, std::function<Tensor(const Tensor&)>> {
        const RowPlaces at = places_of(data, ids, count);
        const Tensor y =
            scatter_rows(extreme(data.dtype(), !largest, with_rows(data, count)), at.ids,
                         where(at.inside, data, extreme(data.dtype(), !largest, data.shape())),
                         largest ? backend::ScatterOp::maximum : backend::ScatterOp::minimum);
        return {y, [data, y, at, ids, count](const Tensor& dy) {
                  const Tensor chosen = logical_and(equal(data, take(y, at.ids, 0)), at.inside);
                  const Tensor share =
                      dy / maximum(sum_rows(cast(chosen, dy.dtype()), ids, count), 1);
                  return where(chosen, take(share, at.ids, 0), zeros_like(data));
                }};
      });
}

}  // namespace

Tensor segment_sum(const Tensor& data, const Tensor& ids, std::optional<int64_t> count,
                   bool sorted) {
  if (is_symbolic(data, ids)) return symbolic_call(&segment_sum, data, ids, count, sorted);
  return sum_rows(data, ids, count_segments(data, ids, count, "segment_sum"));
}

Tensor segment_max(const Tensor& data, const Tensor& ids, std::optional<int64_t> count,
                   bool sorted) {
  if (is_symbolic(data, ids)) return symbolic_call(&segment_max, data, ids, count, sorted);
  return extreme_rows(data, ids, count_segments(data, ids, count, "segment_max"), true);
}

Tensor segment_min(const Tensor& data, const Tensor& ids, std::optional<int64_t> count,
                   bool sorted) {
  if (is_symbolic(data, ids)) return symbolic_call(&segment_min, data, ids, count, sorted);
  return extreme_rows(data, ids, count_segments(data, ids, count, "segment_min"), false);
}

Tensor segment_prod(const Tensor& data, const Tensor& ids, std::optional<int64_t> count,
                    bool sorted) {
  if (is_symbolic(data, ids)) return symbolic_call(&segment_prod, data, ids, count, sorted);
  const int64_t n = count_segments(data, ids, count, "segment_prod");
  // (segments, rows, 1...): which rows are whose.
  Shape members = {n, data.shape()[0]};
  for (int i = 1; i < data.rank(); ++i) members.push_back(1);
  const Tensor mine =
      reshape(equal(expand_dims(arange(0, n), {1}), expand_dims(ids, {0})), members);
  return cast(prod(where(mine, expand_dims(data, {0}), ones_like(expand_dims(data, {0}))), 1),
              data.dtype());
}

void list_math_segment(OpCatalog& catalog) {
  catalog.add("math.SegmentSum", {"data", "segment_ids", "num_segments=None", "sorted=False"},
              &segment_sum);
  catalog.add("math.SegmentMax", {"data", "segment_ids", "num_segments=None", "sorted=False"},
              &segment_max);
  catalog.add("math.SegmentMin", {"data", "segment_ids", "num_segments=None", "sorted=False"},
              &segment_min);
  catalog.add("math.SegmentProd", {"data", "segment_ids", "num_segments=None", "sorted=False"},
              &segment_prod);
}

}  // namespace cornu::ops
