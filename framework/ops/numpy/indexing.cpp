// Indexing as Copy, Gather and select.
#include "indexing.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/complex.h"
#include "../../dispatch/strided.h"
#include "../../dispatch/variable.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/advanced_index.h"
#include "../detail/counting.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "manipulation.h"
#include "reduction.h"

namespace cornu {

namespace {

Value key_of(const Index& index) {
  return std::visit(
      [](const auto& entry) {
        if constexpr (std::is_same_v<decltype(entry), const NewAxis&>)
          return Value();
        else
          return Value(entry);
      },
      index.entry());
}

}  // namespace

Tensor Tensor::operator[](const Index& index) const {
  return ops::get_item(*this, Value::List{key_of(index)});
}

Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  Value::List key;
  for (const Index& index : indices) key.push_back(key_of(index));
  return ops::get_item(*this, key);
}

Tensor Tensor::Iterator::operator*() const { return x_[index_]; }

Tensor::Iterator Tensor::begin() const {
  if (rank() == 0 || shape(0) == Shape::unknown)
    throw ShapeError(
        fmt::format("A loop over the parts of a tensor needs a first axis of known size, found "
                    "shape {}.",
                    shape().str()));
  return {*this, 0};
}

Tensor::Iterator Tensor::end() const { return {*this, shape(0)}; }

// Defined here, as those of Tensor are, since variables know no ops.
Tensor Variable::operator[](const Index& index) const { return Tensor(*this)[index]; }

Tensor Variable::operator[](std::initializer_list<Index> indices) const {
  return Tensor(*this)[indices];
}

}  // namespace cornu

namespace cornu::ops {

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
  if (is_symbolic(x)) return symbolic_call(&get_item, x, key);
  const Value::List keys = key.is<Value::List>() ? key.get<Value::List>() : Value::List{key};
  const bool advanced = std::any_of(keys.begin(), keys.end(), detail::is_tensor_index);
  return advanced ? detail::advanced_index(x, keys) : basic_index(x, keys);
}

Tensor take(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis) {
  if (is_symbolic(x, indices)) return symbolic_call(&take, x, indices, axis);
  const Tensor source = axis ? x : reshape(x, {-1});
  const int a = normalize_axis(axis.value_or(0), source.rank(), "take: axis");
  const Shape shape =
      concat(concat(source.shape().slice(0, a), indices.shape()), source.shape().slice(a + 1));
  return apply(backend::Gather{a, false}, {source, as_indices(indices, "take")},
               TensorSpec{shape, x.dtype()});
}

Tensor take_along_axis(const Tensor& given, const Tensor& indices, std::optional<int64_t> axis) {
  if (is_symbolic(given, indices)) return symbolic_call(&take_along_axis, given, indices, axis);
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
  return apply(backend::Gather{a, true},
               {broadcast_to(x, from), broadcast_to(as_indices(indices, "take_along_axis"), to)},
               TensorSpec{to, x.dtype()});
}

namespace {

using WhereOf3 = Tensor(const Tensor&, const Tensor&, const Tensor&);

}  // namespace

Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y) {
  if (is_symbolic(condition, x, y))
    return symbolic_call(static_cast<WhereOf3*>(&where), condition, x, y);
  const DType dtype = result_type(x, y);
  const Tensor inputs[] = {cast(condition, DType::boolean), cast(x, dtype), cast(y, dtype)};
  return detail::apply_fused_many(backend::program_of(backend::Opcode::select), inputs, dtype,
                                  "where")[0];
}

std::vector<Tensor> where(const Tensor& condition) { return nonzero(condition); }

Tensor select(const std::vector<Tensor>& conditions, const std::vector<Tensor>& choices,
              const Tensor& otherwise) {
  if (is_symbolic(conditions, choices, otherwise))
    return symbolic_call(&select, conditions, choices, otherwise);
  if (conditions.size() != choices.size() || conditions.empty())
    throw ValueError(fmt::format(
        "select: {} conditions for {} choices; there must be a condition for each choice.",
        conditions.size(), choices.size()));
  std::vector<PromotionType> types = {promotion_type(otherwise)};
  for (const Tensor& choice : choices) types.push_back(promotion_type(choice));
  const DType dtype = result_type(types);
  Tensor y = cast(otherwise, dtype);
  for (size_t i = choices.size(); i-- > 0;) y = where(conditions[i], cast(choices[i], dtype), y);
  return y;
}

namespace {

using backend::ScatterOp;

}  // namespace

std::vector<Tensor> unravel_index(const Tensor& given, const Shape& shape) {
  if (is_symbolic(given)) return symbolic_call(&unravel_index, given, shape);
  if (!shape.known()) throw ValueError("unravel_index: every size of the shape must be known.");
  Tensor rest = detail::strong(given);
  std::vector<Tensor> places(static_cast<size_t>(shape.rank()));
  for (int i = shape.rank(); i-- > 0;) {
    const Tensor size = cast(Tensor(shape[i]), rest.dtype());
    places[static_cast<size_t>(i)] = mod(rest, size);
    rest = floor_divide(rest, size);
  }
  return places;
}

std::vector<Tensor> nonzero(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&nonzero, x);
  const Tensor found = reshape(cast(x, DType::boolean), {-1});
  const Tensor order = cumsum(found);
  const int64_t n = found.size();
  const int64_t count = n == 0 ? 0
                               : detail::known_size(get_item(order, Value::List{-1}), "nonzero",
                                                    "Use where or a mask instead.");
  // Each one goes to its place in the order of those found, the others beyond the end.
  const Tensor place = where(found, order - Tensor(1), Tensor(count));
  return unravel_index(n == 0
                           ? zeros({0}, DType::int32)
                           : detail::scattered(count, place, detail::count_up(n), ScatterOp::set),
                       x.rank() == 0 ? Shape{1} : x.shape());
}

void list_numpy_indexing(OpCatalog& catalog) {
  catalog.add("numpy.Where", {"condition", "x1", "x2"}, static_cast<WhereOf3*>(&where));
  catalog.add("numpy.Where", {"condition"},
              static_cast<std::vector<Tensor> (*)(const Tensor&)>(&where));
  catalog.add("numpy.Select", {"condlist", "choicelist", "default=0"}, &select);
  catalog.add("numpy.GetItem", {"x", "key"}, &get_item);
  catalog.add("numpy.Take", {"x", "indices", "axis=None"}, &take);
  catalog.add("numpy.TakeAlongAxis", {"x", "indices", "axis=None"}, &take_along_axis);
  catalog.add("numpy.UnravelIndex", {"indices", "shape"}, &unravel_index);
  catalog.add("numpy.Nonzero", {"x"}, &nonzero);
}

}  // namespace cornu::ops
