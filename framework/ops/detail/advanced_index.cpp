// Tensors as indices: one gather along the axes that they choose from, taken as one.
#include "advanced_index.h"

#include <fmt/core.h>

#include "../convert.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/arithmetic.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../operators.h"
#include "strong.h"

namespace cornu::detail {
namespace {

using namespace ops;

// What stands for one axis of x in the keys: an index, or what get_item itself knows.
struct Key {
  Value basic;
  Tensor index;  // null unless a tensor or a number chooses
};

// A mask as the indices of the places where it holds, one for each of its axes.
void append_mask(std::vector<Key>& keys, const Tensor& mask, const Shape& shape, int axis) {
  bool fits = mask.rank() > 0 && axis + mask.rank() <= shape.rank();
  for (int i = 0; fits && i < mask.rank(); ++i) fits = mask.shape()[i] == shape[axis + i];
  if (!fits)
    throw ShapeError(fmt::format(
        "get_item: a mask of shape {} at axis {} of a tensor of shape {}: the mask must have one "
        "axis or more, of the tensor's sizes.",
        mask.shape().str(), axis, shape.str()));
  for (const Tensor& index : nonzero(mask)) keys.push_back({Slice{}, index});
}

int axes_of(const Value& key, const Tensor& index) {
  if (key.is_null() || key.is<Ellipsis>()) return 0;
  return index && index.dtype() == DType::boolean ? index.rank() : 1;
}

std::vector<Key> expanded(const Tensor& x, const Value::List& given) {
  std::vector<Tensor> indices;
  int consumed = 0;
  for (const Value& k : given) {
    indices.push_back(is_tensor_index(k) ? detail::strong(from_value<Tensor>(k)) : Tensor());
    const Tensor& index = indices.back();
    if (index && index.is_symbolic())
      throw UnsupportedError("get_item: a symbolic tensor as an index; use ops::take.");
    if (index && is_float(index.dtype()))
      throw ValueError(fmt::format("get_item: indices must be integers or bools, found {}.",
                                   dtype_name(index.dtype())));
    consumed += axes_of(k, index);
  }
  if (consumed > x.rank())
    throw ShapeError(fmt::format("get_item: indices of {} axes for a tensor of shape {}.", consumed,
                                 x.shape().str()));
  std::vector<Key> keys;
  int axis = 0;
  for (size_t i = 0; i < given.size(); ++i) {
    const Value& k = given[i];
    if (k.is<Ellipsis>()) {
      axis += x.rank() - consumed;
      keys.push_back({k, {}});
    } else if (indices[i] && indices[i].dtype() == DType::boolean) {
      append_mask(keys, indices[i], x.shape(), axis);
      axis += indices[i].rank();
    } else if (indices[i]) {
      keys.push_back({Slice{}, indices[i]});
      ++axis;
    } else if (k.is<int64_t>()) {
      const int64_t n = k.get<int64_t>(), size = x.shape()[axis];
      if (n < -size || n >= size)
        throw ShapeError(fmt::format("get_item: index {} is out of range for axis {} of shape {}.",
                                     n, axis, x.shape().str()));
      keys.push_back({Slice{}, detail::strong(Tensor(n))});
      ++axis;
    } else {
      keys.push_back({k, {}});
      axis += !k.is_null();
    }
  }
  return keys;
}

}  // namespace

bool is_tensor_index(const Value& key) { return key.is<Tensor>() || key.is<Value::List>(); }

Tensor advanced_index(const Tensor& x, const Value::List& given) {
  const std::vector<Key> keys = expanded(x, given);
  int consumed = 0;
  for (const Key& k : keys) consumed += axes_of(k.basic, {});
  // The slices and new axes first; then the axes of y that indices choose from.
  Value::List basic;
  std::vector<int64_t> axes;
  std::vector<Tensor> indices;
  int axis = 0;
  bool apart = false;
  for (size_t i = 0; i < keys.size(); ++i) {
    basic.push_back(keys[i].basic);
    if (keys[i].index) {
      apart |= !indices.empty() && !keys[i - 1].index;
      axes.push_back(axis);
      indices.push_back(keys[i].index);
    }
    axis += keys[i].basic.is<Ellipsis>() ? x.rank() - consumed : 1;
  }
  Tensor y = get_item(x, basic);
  if (indices.size() == 1) return take(y, indices[0], axes[0]);

  const int at = apart ? 0 : static_cast<int>(axes[0]), n = static_cast<int>(axes.size());
  std::vector<int64_t> places;
  for (int i = 0; i < n; ++i) places.push_back(at + i);
  y = moveaxis(y, axes, places);
  const Shape shape = y.shape();
  Tensor flat;
  int64_t stride = 1;
  for (int i = n; i-- > 0;) {
    const int64_t size = shape[at + i];
    const Tensor raw = cast(indices[static_cast<size_t>(i)], DType::int32);
    const Tensor index =
        clip(where(less(raw, Tensor(0)), raw + Tensor(size), raw), Tensor(0), Tensor(size - 1));
    flat = flat ? flat + index * Tensor(stride) : index;
    stride *= size;
  }
  const Shape merged =
      concat(concat(shape.slice(0, at), Shape{stride}), shape.slice(at + n, shape.rank()));
  return take(reshape(y, merged), flat, at);
}

}  // namespace cornu::detail
