// Indexing: slices are copies of boxes, indices are gathers.
#include "indexing.h"

#include <fmt/core.h>

#include <algorithm>

#include "../detail/advanced_index.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "manipulation.h"
#include "../../dispatch/strided.h"

namespace cornu {

Tensor Tensor::operator[](int64_t index) const { return ops::get_item(*this, index); }

namespace ops {
namespace {

// Bounds of a slice by Python's rules: first index, step and number of elements.
struct Range {
  int64_t start, step, count;
};

Range resolve(const Slice& s, int64_t size) {
  const int64_t step = s.step.value_or(1);
  if (step == 0) throw ValueError("get_item: a slice's step must not be 0.");
  auto bound = [&](std::optional<int64_t> v, int64_t otherwise) {
    if (!v) return otherwise;
    const int64_t i = *v < 0 ? *v + size : *v;
    return step > 0 ? std::clamp<int64_t>(i, 0, size) : std::clamp<int64_t>(i, -1, size - 1);
  };
  const int64_t start = bound(s.start, step > 0 ? 0 : size - 1);
  const int64_t stop = bound(s.stop, step > 0 ? size : -1);
  const int64_t distance = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  return {start, step, distance > 0 ? (distance + stride - 1) / stride : 0};
}

Tensor basic_index(const Tensor& x, const Value::List& keys) {
  int consumed = 0;
  for (const Value& k : keys) consumed += !k.is_null() && !k.is<Ellipsis>();
  if (consumed > x.rank())
    throw ShapeError(
        fmt::format("get_item: {} indices for a tensor of shape {}.", consumed, x.shape().str()));
  InlineVector<int64_t, 6> starts, steps;
  Shape sizes, shape;
  int axis = 0;
  bool ellipsis = false, whole = true;
  auto keep = [&] {
    starts.push_back(0);
    steps.push_back(1);
    sizes.push_back(x.shape()[axis]);
    shape.push_back(x.shape()[axis++]);
  };
  for (const Value& k : keys) {
    if (k.is_null()) {
      shape.push_back(1);
    } else if (k.is<Ellipsis>()) {
      if (ellipsis) throw ValueError("get_item: only one ellipsis is allowed.");
      ellipsis = true;
      for (int rest = x.rank() - consumed; rest > 0; --rest) keep();
    } else if (k.is<int64_t>()) {
      const int64_t size = x.shape()[axis], i = k.get<int64_t>();
      if (i < -size || i >= size)
        throw ShapeError(fmt::format("get_item: index {} is out of range for axis {} of shape {}.",
                                     i, axis, x.shape().str()));
      starts.push_back(i < 0 ? i + size : i);
      steps.push_back(1);
      sizes.push_back(1);
      ++axis;
      whole = false;
    } else if (k.is<Slice>()) {
      const Range r = resolve(k.get<Slice>(), x.shape()[axis]);
      whole &= r.start == 0 && r.step == 1 && r.count == x.shape()[axis];
      starts.push_back(r.start);
      steps.push_back(r.step);
      sizes.push_back(r.count);
      shape.push_back(r.count);
      ++axis;
    } else {
      throw ValueError(fmt::format(
          "get_item: an index is a number, a slice, an ellipsis, nothing (a new axis) or a tensor "
          "of integers or bools, found {}.",
          k.kind()));
    }
  }
  while (axis < x.rank()) keep();
  if (whole) return apply_reshape(x, shape);
  const Tensor y = detail::copy_box(x, sizes, detail::box(x.shape(), starts, steps),
                                    {0, detail::dense_strides(sizes)}, sizes, true);
  return y.shape() == shape ? y : apply_reshape(y, shape);
}

Tensor as_indices(const Tensor& indices, const char* name) {
  if (is_float(indices.dtype()))
    throw ValueError(
        fmt::format("{}: indices must be integers, found {}.", name, dtype_name(indices.dtype())));
  return indices.dtype() == DType::int64 ? indices : cast(indices, DType::int32);
}

}  // namespace

Tensor get_item(const Tensor& x, const Value& key) {
  return op(
      &get_item,
      [](const Tensor& x, const Value& key) {
        const Value::List keys = key.is<Value::List>() ? key.get<Value::List>() : Value::List{key};
        const bool advanced = std::any_of(keys.begin(), keys.end(), detail::is_tensor_index);
        return advanced ? detail::advanced_index(x, keys) : basic_index(x, keys);
      },
      x, key);
}

Tensor take(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis) {
  return op(
      &take,
      [](const Tensor& x, const Tensor& indices, std::optional<int64_t> axis) {
        const Tensor source = axis ? x : reshape(x, {-1});
        const int a = normalize_axis(axis.value_or(0), source.rank(), "take: axis");
        const Shape shape = concat(concat(source.shape().slice(0, a), indices.shape()),
                                   source.shape().slice(a + 1));
        return apply(backend::Gather{a, false}, {source, as_indices(indices, "take")},
                     TensorSpec{shape, x.dtype()});
      },
      x, indices, axis);
}

Tensor take_along_axis(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis) {
  return op(
      &take_along_axis,
      [](const Tensor& given, const Tensor& indices, std::optional<int64_t> axis) {
        const Tensor x = axis ? given : reshape(given, {-1});
        const int a = normalize_axis(axis.value_or(0), x.rank(), "take_along_axis: axis");
        const auto refuse = [&] {
          throw ShapeError(fmt::format(
              "take_along_axis: indices of shape {} do not fit x of shape {}: all axes but {} "
              "must agree.",
              indices.shape().str(), x.shape().str(), a));
        };
        if (indices.rank() != x.rank()) refuse();
        Shape from = x.shape(), to = indices.shape();
        for (int i = 0; i < x.rank(); ++i) {
          if (i == a || from[i] == to[i]) continue;
          if (from[i] != 1 && to[i] != 1) refuse();
          from[i] = to[i] = from[i] == 1 ? to[i] : from[i];
        }
        return apply(
            backend::Gather{a, true},
            {broadcast_to(x, from), broadcast_to(as_indices(indices, "take_along_axis"), to)},
            TensorSpec{to, x.dtype()});
      },
      x, indices, axis);
}

namespace {

Tensors sorted(const Tensor& x, bool descending, int64_t count) {
  Shape shape = x.shape();
  shape[shape.rank() - 1] = count;
  const TensorSpec outputs[] = {{shape, x.dtype()}, {shape, DType::int32}};
  return apply(backend::Sort{descending, count}, {&x, 1}, outputs);
}

Tensor sort_axis(const Tensor& given, std::optional<int64_t> axis, int output) {
  if (given.dtype() == DType::boolean) {
    const Tensor y = sort_axis(cast(given, DType::uint8), axis, output);
    return output == 0 ? cast(y, DType::boolean) : y;
  }
  const Tensor x = axis && given.rank() > 0 ? given : reshape(given, {-1});
  const int a = x.rank() == given.rank() ? normalize_axis(axis.value_or(0), x.rank()) : 0;
  if (a == x.rank() - 1) return sorted(x, false, x.shape().back())[output];
  const Tensor last = swapaxes(x, a, -1);
  return swapaxes(sorted(last, false, last.shape().back())[output], a, -1);
}

}  // namespace

std::vector<Tensor> top_k(const Tensor& x, int64_t k, bool sorted_result) {
  return op(
      &top_k,
      [](const Tensor& x, int64_t k, bool) {
        if (x.rank() == 0 || k < 0 || k > x.shape().back())
          throw ShapeError(
              fmt::format("top_k: k = {} of a last axis in shape {}.", k, x.shape().str()));
        const Tensors result = sorted(x, true, k);
        return std::vector<Tensor>(result.begin(), result.end());
      },
      x, k, sorted_result);
}

Tensor sort(const Tensor& x, std::optional<int64_t> axis) {
  return op(
      &sort, [](const Tensor& x, std::optional<int64_t> axis) { return sort_axis(x, axis, 0); }, x,
      axis);
}

Tensor argsort(const Tensor& x, std::optional<int64_t> axis) {
  return op(
      &argsort, [](const Tensor& x, std::optional<int64_t> axis) { return sort_axis(x, axis, 1); },
      x, axis);
}

void list_indexing(OpCatalog& catalog) {
  catalog.add("numpy.GetItem", {"x", "key"}, &get_item);
  catalog.add("numpy.Take", {"x", "indices", "axis=None"}, &take);
  catalog.add("numpy.TakeAlongAxis", {"x", "indices", "axis=None"}, &take_along_axis);
  catalog.add("math.TopK", {"x", "k", "sorted=True"}, &top_k);
  catalog.add("numpy.Sort", {"x", "axis=-1"}, &sort);
  catalog.add("numpy.Argsort", {"x", "axis=-1"}, &argsort);
}

}  // namespace ops
}  // namespace cornu
