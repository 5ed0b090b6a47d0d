// Joins and splits, each one Copy.
#include "joining.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/strided.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/strong.h"
#include "../integers.h"
#include "../operators.h"
#include "manipulation.h"

namespace cornu::ops {

using detail::dense_strides;

Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis) {
  if (is_symbolic(xs)) return symbolic_call(&concatenate, xs, axis);
  if (xs.empty()) throw ValueError("concatenate: needs at least one tensor.");
  const int a = normalize_axis(axis, xs[0].rank(), "concatenate: axis");
  InlineVector<PromotionType, 4> types;
  Shape shape = xs[0].shape();
  shape[a] = 0;
  for (const Tensor& x : xs) {
    types.push_back(promotion_type(x));
    Shape other = x.shape();
    bool fits = other.rank() == shape.rank();
    for (int i = 0; fits && i < shape.rank(); ++i) fits = i == a || other[i] == shape[i];
    if (!fits)
      throw ShapeError(fmt::format("concatenate: shapes {} and {} differ on another axis than {}.",
                                   xs[0].shape().str(), other.str(), a));
    shape[a] += other[a];
  }
  const DType dtype = result_type(types);
  backend::Copy kernel;
  kernel.shape = shape;
  const auto strides = dense_strides(shape);
  std::vector<Tensor> inputs;
  int64_t start = 0;
  for (const Tensor& x : xs) {
    kernel.parts.push_back(
        {x.shape(), {0, dense_strides(x.shape())}, {start * strides[a], strides}});
    inputs.push_back(cast(x, dtype));
    start += x.shape()[a];
  }
  return apply(kernel, std::span<const Tensor>(inputs), TensorSpec{shape, dtype});
}

Tensor stack(const std::vector<Tensor>& x, int64_t axis) {
  if (is_symbolic(x)) return symbolic_call(&stack, x, axis);
  if (x.empty()) throw ValueError("stack: needs at least one tensor.");
  const int a = normalize_axis(axis, x[0].rank() + 1, "stack: axis");
  std::vector<Tensor> expanded;
  for (const Tensor& t : x) {
    if (t.shape() != x[0].shape())
      throw ShapeError(
          fmt::format("stack: shapes {} and {} differ.", x[0].shape().str(), t.shape().str()));
    expanded.push_back(expand_dims(t, a));
  }
  return concatenate(expanded, a);
}

std::vector<Tensor> split(const Tensor& x, const Integers& cuts, int64_t axis) {
  if (is_symbolic(x)) return symbolic_call(&split, x, cuts, axis);
  const int a = normalize_axis(axis, x.rank(), "split: axis");
  const int64_t size = x.shape()[a];
  std::vector<int64_t> bounds = {0};
  if (cuts.single()) {
    const int64_t sections = cuts.number();
    if (sections <= 0 || size % sections != 0)
      throw ShapeError(fmt::format(
          "split: axis {} of size {} does not divide into {} equal sections.", a, size, sections));
    for (int64_t i = 1; i < sections; ++i) bounds.push_back(i * (size / sections));
  } else {
    for (int64_t c : cuts.list())
      bounds.push_back(std::clamp<int64_t>(c < 0 ? c + size : c, 0, size));
  }
  bounds.push_back(size);
  std::vector<Tensor> parts;
  for (size_t i = 0; i + 1 < bounds.size(); ++i)
    parts.push_back(
        detail::copy_section(x, a, bounds[i], std::max<int64_t>(0, bounds[i + 1] - bounds[i])));
  return parts;
}

Tensor append(const Tensor& x1, const Tensor& x2, std::optional<int64_t> axis) {
  if (is_symbolic(x1, x2)) return symbolic_call(&append, x1, x2, axis);
  if (axis) return concatenate({detail::strong(x1), detail::strong(x2)}, *axis);
  return concatenate({reshape(detail::strong(x1), {-1}), reshape(detail::strong(x2), {-1})}, 0);
}

namespace {

// x with axes of size 1 where it has fewer than `rank`.
Tensor at_least(const Tensor& x, int rank) {
  if (x.rank() >= rank) return detail::strong(x);
  Shape shape = x.shape();
  if (rank == 1) shape = {1};
  if (rank == 2) shape = {1, x.size()};
  if (rank == 3) shape = x.rank() == 2 ? Shape{shape[0], shape[1], 1} : Shape{1, x.size(), 1};
  return reshape(detail::strong(x), shape);
}

Tensor join(const std::vector<Tensor>& xs, int rank, int64_t axis, const char* name) {
  if (xs.empty()) throw ValueError(fmt::format("{}: needs at least one tensor.", name));
  std::vector<Tensor> parts;
  for (const Tensor& x : xs) parts.push_back(at_least(x, rank));
  return concatenate(parts, axis);
}

}  // namespace

Tensor hstack(const std::vector<Tensor>& xs) {
  if (is_symbolic(xs)) return symbolic_call(&hstack, xs);
  return join(xs, 1, !xs.empty() && xs[0].rank() > 1 ? 1 : 0, "hstack");
}

Tensor vstack(const std::vector<Tensor>& xs) {
  if (is_symbolic(xs)) return symbolic_call(&vstack, xs);
  return join(xs, 2, 0, "vstack");
}

Tensor dstack(const std::vector<Tensor>& xs) {
  if (is_symbolic(xs)) return symbolic_call(&dstack, xs);
  return join(xs, 3, 2, "dstack");
}

std::vector<Tensor> hsplit(const Tensor& x, const Integers& cuts) {
  if (is_symbolic(x)) return symbolic_call(&hsplit, x, cuts);
  return split(x, cuts, x.rank() == 1 ? 0 : 1);
}

std::vector<Tensor> vsplit(const Tensor& x, const Integers& cuts) {
  if (is_symbolic(x)) return symbolic_call(&vsplit, x, cuts);
  return split(x, cuts, 0);
}

std::vector<Tensor> dsplit(const Tensor& x, const Integers& cuts) {
  if (is_symbolic(x)) return symbolic_call(&dsplit, x, cuts);
  return split(x, cuts, 2);
}

std::vector<Tensor> array_split(const Tensor& x, int64_t sections, int64_t axis) {
  if (is_symbolic(x)) return symbolic_call(&array_split, x, sections, axis);
  if (sections < 1)
    throw ValueError(
        fmt::format("array_split: the number of sections must be positive, found {}.", sections));
  const int64_t size = x.shape()[normalize_axis(axis, x.rank(), "array_split: axis")];
  if (sections == 1) return std::vector<Tensor>{x};
  std::vector<int64_t> cuts;
  for (int64_t i = 1; i < sections; ++i)
    cuts.push_back(i * (size / sections) + std::min(i, size % sections));
  return split(x, cuts, axis);
}

void list_numpy_joining(OpCatalog& catalog) {
  catalog.add("numpy.Concatenate", {"xs", "axis=0"}, &concatenate);
  catalog.add("numpy.Stack", {"x", "axis=0"}, &stack);
  catalog.add("numpy.Split", {"x", "indices_or_sections", "axis=0"}, &split);
  catalog.add("numpy.Append", {"x1", "x2", "axis=None"}, &append);
  catalog.add("numpy.Hstack", {"xs"}, &hstack);
  catalog.add("numpy.Vstack", {"xs"}, &vstack);
  catalog.add("numpy.Dstack", {"xs"}, &dstack);
  catalog.add("numpy.Hsplit", {"x", "indices_or_sections"}, &hsplit);
  catalog.add("numpy.Vsplit", {"x", "indices_or_sections"}, &vsplit);
  catalog.add("numpy.Dsplit", {"x", "indices_or_sections"}, &dsplit);
  catalog.add("numpy.ArraySplit", {"x", "indices_or_sections", "axis=0"}, &array_split);
}

}  // namespace cornu::ops
