// Adding, taking away and repeating along spatial axes.
#include "margins.h"

#include <fmt/core.h>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {
namespace {

void check_input(const Shape& shape, size_t spatial, bool first) {
  check_rank(shape, static_cast<int>(spatial) + 2,
             first ? "(batch, channels, spatial...)" : "(batch, spatial..., channels)");
}

}  // namespace

void check_margins(const char* option, std::span<const Ends> margins) {
  for (const Ends& ends : margins)
    if (ends.before < 0 || ends.after < 0)
      throw ValueError(fmt::format("option '{}' must have no negative numbers, found ({}, {}).",
                                   option, ends.before, ends.after));
}

Tensor pad_spatial(const Tensor& x, std::span<const Ends> margins, bool first) {
  check_input(x.shape(), margins.size(), first);
  std::vector<std::vector<int64_t>> widths(margins.size() + 2, {0, 0});
  for (size_t i = 0; i < margins.size(); ++i)
    widths[i + (first ? 2 : 1)] = {margins[i].before, margins[i].after};
  return ops::pad(x, widths);
}

Tensor crop_spatial(const Tensor& x, std::span<const Ends> margins, bool first) {
  check_input(x.shape(), margins.size(), first);
  Value::List key(margins.size() + 2, Slice{});
  for (size_t i = 0; i < margins.size(); ++i) {
    const size_t axis = i + (first ? 2 : 1);
    const int64_t size = x.shape()[static_cast<int>(axis)], end = size - margins[i].after;
    if (end <= margins[i].before)
      throw ShapeError(fmt::format(
          "option 'cropping' takes {} + {} places off axis {} of input {}, which leaves none. "
          "Crop less, or give larger inputs.",
          margins[i].before, margins[i].after, axis, x.shape().str()));
    key[axis] = Slice{margins[i].before, end};
  }
  return ops::get_item(x, key);
}

Tensor repeat_spatial(const Tensor& x, const std::vector<int64_t>& times, bool first) {
  check_input(x.shape(), times.size(), first);
  Tensor y = x;
  for (size_t i = 0; i < times.size(); ++i)
    if (times[i] != 1) y = ops::repeat(y, times[i], static_cast<int64_t>(i) + (first ? 2 : 1));
  return y;
}

}  // namespace cornu::layers

namespace cornu::detail {

Value encode_margins(std::span<const layers::Ends> margins) {
  Value::List list;
  for (const layers::Ends& ends : margins) list.push_back(Value::List{ends.before, ends.after});
  return list;
}

void decode_margins(const Value& v, std::span<layers::Ends> margins) {
  if (!v.is<Value::List>()) {
    std::fill(margins.begin(), margins.end(), layers::Ends(from_value<int64_t>(v)));
    return;
  }
  const auto& list = v.get<Value::List>();
  if (list.size() != margins.size())
    throw ValueError(fmt::format(
        "expected a number, or for each of {} axes a number or {{before, after}}; found {} "
        "axes",
        margins.size(), list.size()));
  for (size_t i = 0; i < list.size(); ++i) {
    const auto sizes = from_value<std::vector<int64_t>>(list[i]);
    if (sizes.empty() || sizes.size() > 2)
      throw ValueError("expected one or two numbers for an axis");
    margins[i] = layers::Ends(sizes.front(), sizes.back());
  }
}

}  // namespace cornu::detail
