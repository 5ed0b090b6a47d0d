// NumPy's shorter names, in terms of shaping.h.
#include "joining.h"

#include <fmt/core.h>

#include "../catalog.h"
#include "../core/cast.h"
#include "indexing.h"
#include "manipulation.h"

namespace cornu::ops {

Tensor append(const Tensor& x1, const Tensor& x2, std::optional<int64_t> axis) {
  return op(
      &append,
      [](const Tensor& x1, const Tensor& x2, std::optional<int64_t> axis) {
        if (axis) return concatenate({strong(x1), strong(x2)}, *axis);
        return concatenate({reshape(strong(x1), {-1}), reshape(strong(x2), {-1})}, 0);
      },
      x1, x2, axis);
}

namespace {

// x with axes of size 1 where it has fewer than `rank`.
Tensor at_least(const Tensor& x, int rank) {
  if (x.rank() >= rank) return strong(x);
  Shape shape = x.shape();
  if (rank == 1) shape = {1};
  if (rank == 2) shape = {1, x.size()};
  if (rank == 3) shape = x.rank() == 2 ? Shape{shape[0], shape[1], 1} : Shape{1, x.size(), 1};
  return reshape(strong(x), shape);
}

Tensor join(const std::vector<Tensor>& xs, int rank, int64_t axis, const char* name) {
  if (xs.empty()) throw ValueError(fmt::format("{}: needs at least one tensor.", name));
  std::vector<Tensor> parts;
  for (const Tensor& x : xs) parts.push_back(at_least(x, rank));
  return concatenate(parts, axis);
}

}  // namespace

Tensor hstack(const std::vector<Tensor>& xs) {
  return op(
      &hstack,
      [](const std::vector<Tensor>& xs) {
        return join(xs, 1, !xs.empty() && xs[0].rank() > 1 ? 1 : 0, "hstack");
      },
      xs);
}

Tensor vstack(const std::vector<Tensor>& xs) {
  return op(
      &vstack, [](const std::vector<Tensor>& xs) { return join(xs, 2, 0, "vstack"); }, xs);
}

Tensor dstack(const std::vector<Tensor>& xs) {
  return op(
      &dstack, [](const std::vector<Tensor>& xs) { return join(xs, 3, 2, "dstack"); }, xs);
}

std::vector<Tensor> hsplit(const Tensor& x, const Integers& indices_or_sections) {
  return op(
      &hsplit,
      [](const Tensor& x, const Integers& cuts) { return split(x, cuts, x.rank() == 1 ? 0 : 1); },
      x, indices_or_sections);
}

std::vector<Tensor> vsplit(const Tensor& x, const Integers& indices_or_sections) {
  return op(
      &vsplit, [](const Tensor& x, const Integers& cuts) { return split(x, cuts, 0); }, x,
      indices_or_sections);
}

std::vector<Tensor> dsplit(const Tensor& x, const Integers& indices_or_sections) {
  return op(
      &dsplit, [](const Tensor& x, const Integers& cuts) { return split(x, cuts, 2); }, x,
      indices_or_sections);
}

std::vector<Tensor> array_split(const Tensor& x, int64_t indices_or_sections, int64_t axis) {
  return op(
      &array_split,
      [](const Tensor& x, int64_t sections, int64_t axis) {
        if (sections < 1)
          throw ValueError(fmt::format(
              "array_split: the number of sections must be positive, found {}.", sections));
        const int64_t size = x.shape()[normalize_axis(axis, x.rank(), "array_split: axis")];
        if (sections == 1) return std::vector<Tensor>{x};
        std::vector<int64_t> cuts;
        for (int64_t i = 1; i < sections; ++i)
          cuts.push_back(i * (size / sections) + std::min(i, size % sections));
        return split(x, cuts, axis);
      },
      x, indices_or_sections, axis);
}

Tensor ravel(const Tensor& x) {
  return op(
      &ravel, [](const Tensor& x) { return reshape(strong(x), {-1}); }, x);
}

Tensor flipud(const Tensor& x) {
  return op(
      &flipud, [](const Tensor& x) { return flip(x, 0); }, x);
}

Tensor fliplr(const Tensor& x) {
  return op(
      &fliplr, [](const Tensor& x) { return flip(x, 1); }, x);
}

Tensor rot90(const Tensor& array, int64_t k, const std::vector<int64_t>& axes) {
  return op(
      &rot90,
      [](const Tensor& x, int64_t k, const std::vector<int64_t>& axes) {
        if (axes.size() != 2) throw ValueError("rot90: axes are two numbers.");
        const int a = normalize_axis(axes[0], x.rank(), "rot90: axes"),
                  b = normalize_axis(axes[1], x.rank(), "rot90: axes");
        if (a == b) throw ValueError("rot90: the two axes must differ.");
        switch ((k % 4 + 4) % 4) {
          case 1:
            return swapaxes(flip(x, b), a, b);
          case 2:
            return flip(x, {a, b});
          case 3:
            return flip(swapaxes(x, a, b), b);
          default:
            return x;
        }
      },
      array, k, axes);
}

Tensor roll(const Tensor& x, const Integers& shift, const std::optional<Integers>& axis) {
  return op(
      &roll,
      [](const Tensor& x, const Integers& shift, const std::optional<Integers>& axis) {
        const auto turn = [](const Tensor& t, int64_t by, int a) {
          const int64_t size = t.shape()[a];
          const int64_t places = size == 0 ? 0 : (by % size + size) % size;
          if (places == 0) return t;
          const std::vector<Tensor> parts = split(t, std::vector<int64_t>{size - places}, a);
          return concatenate({parts[1], parts[0]}, a);
        };
        if (!axis) {
          int64_t by = 0;
          for (int64_t s : shift.list()) by += s;
          return reshape(turn(reshape(x, {-1}), by, 0), x.shape());
        }
        const auto &shifts = shift.list(), &axes = axis->list();
        if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1)
          throw ValueError(fmt::format("roll: {} shifts for {} axes.", shifts.size(), axes.size()));
        Tensor y = x;
        for (size_t i = 0; i < std::max(shifts.size(), axes.size()); ++i)
          y = turn(y, shifts[shifts.size() == 1 ? 0 : i],
                   normalize_axis(axes[axes.size() == 1 ? 0 : i], x.rank(), "roll: axis"));
        return y;
      },
      x, shift, axis);
}

namespace {

std::vector<Tensor> grid(const std::vector<Tensor>& x, const std::string& indexing) {
  if (indexing != "xy" && indexing != "ij")
    throw ValueError(fmt::format("meshgrid: indexing must be 'xy' or 'ij', found '{}'.", indexing));
  const int rank = static_cast<int>(x.size());
  Shape shape;
  const auto axis_of = [&](int i) { return indexing == "xy" && rank > 1 && i < 2 ? 1 - i : i; };
  for (int i = 0; i < rank; ++i) shape.push_back(x[static_cast<size_t>(axis_of(i))].size());
  std::vector<Tensor> results;
  for (int i = 0; i < rank; ++i) {
    Shape along;
    for (int k = 0; k < rank; ++k)
      along.push_back(k == axis_of(i) ? x[static_cast<size_t>(i)].size() : 1);
    results.push_back(broadcast_to(reshape(strong(x[static_cast<size_t>(i)]), along), shape));
  }
  return results;
}

// The op as files know it, where a function takes a fixed number of tensors; or one list of all.
std::vector<Tensor> listed_meshgrid(const Value& first, const std::optional<Tensor>& second,
                                    const std::optional<Tensor>& third,
                                    const std::optional<Tensor>& fourth,
                                    const std::string& indexing) {
  std::vector<Tensor> x;
  if (first.is<Value::List>())
    x = detail::from_value<std::vector<Tensor>>(first);
  else
    x.push_back(detail::from_value<Tensor>(first));
  for (const auto& other : {second, third, fourth})
    if (other && *other) x.push_back(*other);
  return meshgrid(x, indexing);
}

}  // namespace

std::vector<Tensor> meshgrid(const std::vector<Tensor>& x, const std::string& indexing) {
  if (x.empty()) return {};
  if (!any_symbolic(x)) return grid(x, indexing);
  if (x.size() > 4)
    throw UnsupportedError(
        fmt::format("meshgrid: a graph takes up to 4 vectors, found {}.", x.size()));
  const OpInfo* info = op_catalog().find("keras.src.ops.numpy", "Meshgrid");
  Arguments arguments{Value::List(x.begin(), x.end()), {}};
  const Nest outputs = infer_outputs(arguments, [&](const Arguments& stand_ins) -> Nest {
    return grid(stand_ins.tensors(), indexing);
  });
  auto operation = std::make_shared<OpOperation>(*info, Value::Dict{{"indexing", indexing}});
  return make_node(std::move(operation), std::move(arguments), outputs).flatten();
}

void list_arranging(OpCatalog& catalog) {
  catalog.add("numpy.Append", {"x1", "x2", "axis=None"}, &append);
  catalog.add("numpy.Hstack", {"xs"}, &hstack);
  catalog.add("numpy.Vstack", {"xs"}, &vstack);
  catalog.add("numpy.Dstack", {"xs"}, &dstack);
  catalog.add("numpy.Hsplit", {"x", "indices_or_sections"}, &hsplit);
  catalog.add("numpy.Vsplit", {"x", "indices_or_sections"}, &vsplit);
  catalog.add("numpy.Dsplit", {"x", "indices_or_sections"}, &dsplit);
  catalog.add("numpy.ArraySplit", {"x", "indices_or_sections", "axis=0"}, &array_split);
  catalog.add("numpy.Ravel", {"x"}, &ravel);
  catalog.add("numpy.Flipud", {"x"}, &flipud);
  catalog.add("numpy.Fliplr", {"x"}, &fliplr);
  catalog.add("numpy.Rot90", {"array", "k=1", "axes=(0, 1)"}, &rot90);
  catalog.add("numpy.Roll", {"x", "shift", "axis=None"}, &roll);
  catalog.add("numpy.Meshgrid", {"x", "x_1=None", "x_2=None", "x_3=None", "indexing='xy'"},
              &listed_meshgrid);
}

}  // namespace cornu::ops
