// Shapes and orders: checks, then one Copy or a free reshape.
#include "manipulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "../../dispatch/complex.h"
#include "../../dispatch/strided.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../convert.h"
#include "../core/cast.h"
#include "../core/slices.h"
#include "../detail/strong.h"
#include "../integers.h"
#include "../operators.h"
#include "indexing.h"
#include "joining.h"

namespace cornu::ops {

using detail::box;

using detail::copy_box;

using detail::dense_strides;

namespace {
// A shape to reshape to, where -1 is a size that is to be found.
std::string as_written(const Shape& shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.rank() == 1 ? "," : "");
}
}  // namespace

Tensor reshape(const Tensor& x, const Shape& newshape) {
  if (is_symbolic(x)) return symbolic_call(&reshape, x, newshape);
  Shape shape = newshape;
  int inferred = -1;
  int64_t known = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1) {
      if (inferred >= 0)
        throw ShapeError(
            fmt::format("reshape: only one size may be -1, found {}.", as_written(newshape)));
      inferred = i;
    } else {
      known *= shape[i];
    }
  }
  if (inferred >= 0 && known > 0) shape[inferred] = x.size() / known;
  if (inferred >= 0 && known == 0) shape[inferred] = 0;
  if (shape.numel() != x.size())
    throw ShapeError(fmt::format("reshape: {} elements of shape {} do not fill shape {}.", x.size(),
                                 x.shape().str(), as_written(newshape)));
  return shape == x.shape() ? x : apply_reshape(x, shape);
}

Tensor transpose(const Tensor& x, const OptionalIntegers& axes) {
  if (is_symbolic(x)) return symbolic_call(&transpose, x, axes);
  const int rank = x.rank();
  std::vector<int64_t> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  if (axes) {
    std::vector<bool> seen(rank);
    if (static_cast<int>(axes->size()) != rank)
      throw ShapeError(fmt::format("transpose: {} axes given for a tensor of shape {}.",
                                   axes->size(), x.shape().str()));
    for (int i = 0; i < rank; ++i) {
      order[i] = normalize_axis((*axes)[i], rank, "transpose: axes");
      if (seen[order[i]]) throw ShapeError("transpose: an axis is given twice.");
      seen[order[i]] = true;
    }
  }
  Shape shape;
  const auto strides = dense_strides(x.shape());
  backend::View from;
  for (int64_t a : order) {
    shape.push_back(x.shape()[a]);
    from.strides.push_back(strides[a]);
  }
  // Moving axes of size 1 moves no element.
  std::vector<int64_t> moved;
  for (int64_t a : order)
    if (x.shape()[a] != 1) moved.push_back(a);
  if (std::is_sorted(moved.begin(), moved.end())) return apply_reshape(x, shape);
  return copy_box(x, shape, from, {0, dense_strides(shape)}, shape, true);
}

Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2) {
  if (is_symbolic(x)) return symbolic_call(&swapaxes, x, axis1, axis2);
  std::vector<int64_t> order(x.rank());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[normalize_axis(axis1, x.rank(), "swapaxes: axis1")],
            order[normalize_axis(axis2, x.rank(), "swapaxes: axis2")]);
  return transpose(x, order);
}

Tensor moveaxis(const Tensor& x, const IntegerList& source, const IntegerList& destination) {
  if (is_symbolic(x)) return symbolic_call(&moveaxis, x, source, destination);
  if (source.size() != destination.size())
    throw ShapeError("moveaxis: source and destination must be of equal length.");
  std::vector<int64_t> order(x.rank(), -1);
  std::vector<bool> used(x.rank());
  for (size_t i = 0; i < source.size(); ++i) {
    const int from = normalize_axis(source[i], x.rank(), "moveaxis: source");
    order[normalize_axis(destination[i], x.rank(), "moveaxis: destination")] = from;
    used[from] = true;
  }
  int next = 0;
  for (int64_t& place : order) {
    if (place >= 0) continue;
    while (used[next]) ++next;
    place = next++;
  }
  return transpose(x, order);
}

Tensor expand_dims(const Tensor& x, const Integers& axis) {
  if (is_symbolic(x)) return symbolic_call(&expand_dims, x, axis);
  const int rank = x.rank() + static_cast<int>(axis.list().size());
  std::vector<bool> fresh(rank);
  for (int64_t a : axis.list()) fresh[normalize_axis(a, rank, "expand_dims: axis")] = true;
  Shape shape;
  int next = 0;
  for (int i = 0; i < rank; ++i) shape.push_back(fresh[i] ? 1 : x.shape()[next++]);
  return apply_reshape(x, shape);
}

Tensor squeeze(const Tensor& x, const Axes& axis) {
  if (is_symbolic(x)) return symbolic_call(&squeeze, x, axis);
  std::vector<bool> gone(x.rank());
  for (int a : axis.resolve(x.rank())) {
    if (x.shape()[a] != 1 && !axis.all())
      throw ShapeError(fmt::format("squeeze: axis {} of shape {} has size {}, not 1.", a,
                                   x.shape().str(), x.shape()[a]));
    gone[a] = x.shape()[a] == 1;
  }
  Shape shape;
  for (int i = 0; i < x.rank(); ++i)
    if (!gone[i]) shape.push_back(x.shape()[i]);
  return apply_reshape(x, shape);
}

Tensor broadcast_to(const Tensor& x, const Shape& shape) {
  if (is_symbolic(x)) return symbolic_call(&broadcast_to, x, shape);
  if (x.shape() == shape) return x;
  if (broadcast(x.shape(), shape) != shape)
    throw ShapeError(fmt::format("broadcast_to: shape {} does not broadcast to {}.",
                                 x.shape().str(), shape.str()));
  return apply(
      backend::Fused{backend::program_of(backend::Opcode::identity), compute_type(x.dtype())}, {x},
      TensorSpec{shape, x.dtype()});
}

Tensor flip(const Tensor& x, const Axes& axis) {
  if (is_symbolic(x)) return symbolic_call(&flip, x, axis);
  if (x.size() == 0) return x;
  InlineVector<int64_t, 6> starts(static_cast<size_t>(x.rank()), 0),
      steps(static_cast<size_t>(x.rank()), 1);
  for (int a : axis.resolve(x.rank())) {
    starts[a] = x.shape()[a] - 1;
    steps[a] = -1;
  }
  return copy_box(x, x.shape(), box(x.shape(), starts, steps), {0, dense_strides(x.shape())},
                  x.shape(), true);
}

Tensor tile(const Tensor& x, const Integers& given) {
  if (is_symbolic(x)) return symbolic_call(&tile, x, given);
  const std::vector<int64_t>& repeats = given.list();
  for (const int64_t times : repeats)
    if (times < 0)
      throw ValueError(fmt::format("tile: repeats must not be negative, found {}.", times));
  // (a, b) tiled (m, n) is (1, a, 1, b) broadcast to (m, a, n, b).
  const int rank = std::max<int>(x.rank(), static_cast<int>(repeats.size()));
  Shape spread, wide, shape;
  for (int i = 0; i < rank; ++i) {
    const int from_x = i - (rank - x.rank()),
              from_r = i - (rank - static_cast<int>(repeats.size()));
    const int64_t size = from_x >= 0 ? x.shape()[from_x] : 1,
                  times = from_r >= 0 ? repeats[from_r] : 1;
    if (times != 1) {
      spread.push_back(1);
      wide.push_back(times);
    }
    spread.push_back(size);
    wide.push_back(size);
    shape.push_back(size * times);
  }
  return reshape(broadcast_to(reshape(x, spread), wide), shape);
}

Tensor repeat(const Tensor& x, const Integers& repeats, std::optional<int64_t> axis) {
  if (is_symbolic(x)) return symbolic_call(&repeat, x, repeats, axis);
  const Tensor y = axis ? x : reshape(x, {-1});
  const int a = normalize_axis(axis.value_or(0), y.rank(), "repeat: axis");
  for (const int64_t times : repeats.list())
    if (times < 0)
      throw ValueError(fmt::format("repeat: repeats must not be negative, found {}.", times));
  if (repeats.list().size() != 1) {
    const int64_t size = y.shape()[a];
    if (static_cast<int64_t>(repeats.list().size()) != size)
      throw ShapeError(fmt::format("repeat: {} numbers for the {} elements of axis {}.",
                                   repeats.list().size(), size, a));
    std::vector<int64_t> places;
    for (int64_t i = 0; i < size; ++i)
      places.insert(places.end(), static_cast<size_t>(repeats.list()[i]), i);
    return take(y, cast(Tensor(places), DType::int32), a);
  }
  const int64_t times = repeats.number();
  Shape spread = y.shape(), shape = y.shape();
  spread.insert(a + 1, 1);
  Shape wide = spread;
  wide[a + 1] = times;
  shape[a] *= times;
  return reshape(broadcast_to(reshape(y, spread), wide), shape);
}

Tensor ravel(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&ravel, x);
  return reshape(detail::strong(x), {-1});
}

Tensor flipud(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&flipud, x);
  return flip(x, 0);
}

Tensor fliplr(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&fliplr, x);
  return flip(x, 1);
}

Tensor rot90(const Tensor& x, int64_t k, const IntegerList& axes) {
  if (is_symbolic(x)) return symbolic_call(&rot90, x, k, axes);
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
}

Tensor roll(const Tensor& x, const Integers& shift, const Axes& axis) {
  if (is_symbolic(x)) return symbolic_call(&roll, x, shift, axis);
  const auto turn = [](const Tensor& t, int64_t by, int a) {
    const int64_t size = t.shape()[a];
    const int64_t places = size == 0 ? 0 : (by % size + size) % size;
    if (places == 0) return t;
    const std::vector<Tensor> parts = split(t, std::vector<int64_t>{size - places}, a);
    return concatenate({parts[1], parts[0]}, a);
  };
  if (axis.all()) {
    int64_t by = 0;
    for (int64_t s : shift.list()) by += s;
    return reshape(turn(reshape(x, {-1}), by, 0), x.shape());
  }
  const std::vector<int64_t>& shifts = shift.list();
  const std::span<const int> axes = axis.as_given();
  if (shifts.size() != axes.size() && shifts.size() != 1 && axes.size() != 1)
    throw ValueError(fmt::format("roll: {} shifts for {} axes.", shifts.size(), axes.size()));
  Tensor y = x;
  for (size_t i = 0; i < std::max(shifts.size(), axes.size()); ++i)
    y = turn(y, shifts[shifts.size() == 1 ? 0 : i],
             normalize_axis(axes[axes.size() == 1 ? 0 : i], x.rank(), "roll: axis"));
  return y;
}

Tensor view(const Tensor& given, OptionalDType dtype) {
  if (is_symbolic(given)) return symbolic_call(&view, given, dtype);
  const Tensor x = detail::strong(given);
  const DType to = dtype.value_or(x.dtype());
  if (to == x.dtype()) return x;
  const int64_t from_size = static_cast<int64_t>(size_of(x.dtype())),
                to_size = static_cast<int64_t>(size_of(to));
  Shape shape = x.shape();
  if (from_size != to_size) {
    if (shape.empty() || shape.back() * from_size % to_size != 0)
      throw ShapeError(
          fmt::format("view: the last axis of shape {} in {} is no whole number of elements of {}.",
                      shape.str(), dtype_name(x.dtype()), dtype_name(to)));
    shape[shape.rank() - 1] = shape.back() * from_size / to_size;
  }
  const Tensor inputs[] = {has_emulated_storage(x.dtype()) ? apply_view(x, stored_spec(x.spec()))
                                                           : x};
  const TensorSpec outputs[] = {stored_spec({shape, to})};
  const Tensor y = inputs[0].dtype() == outputs[0].dtype
                       ? apply_reshape(inputs[0], outputs[0].shape)
                       : apply_host(
                             [](std::span<const Tensor> in, std::span<const Tensor> out) {
                               if (in[0].bytes() > 0)
                                 std::memcpy(out[0].data(), in[0].data(), in[0].bytes());
                             },
                             inputs, outputs, "view")[0];
  return has_emulated_storage(to) ? apply_view(y, {shape, to}) : y;
}

Tensor size(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&size, x);
  return detail::strong(Tensor(x.size()));
}

int64_t ndim(const Tensor& x) { return x.rank(); }

void list_numpy_manipulation(OpCatalog& catalog) {
  catalog.add("numpy.View", {"x", "dtype=None"}, &view);
  catalog.add("numpy.Size", {"x"}, &size);
  catalog.add("numpy.Reshape", {"x", "newshape"}, &reshape);
  catalog.add("numpy.Transpose", {"x", "axes=None"}, &transpose);
  catalog.add("numpy.Swapaxes", {"x", "axis1", "axis2"}, &swapaxes);
  catalog.add("numpy.Moveaxis", {"x", "source", "destination"}, &moveaxis);
  catalog.add("numpy.ExpandDims", {"x", "axis"}, &expand_dims);
  catalog.add("numpy.Squeeze", {"x", "axis=None"}, &squeeze);
  catalog.add("numpy.BroadcastTo", {"x", "shape"}, &broadcast_to);
  catalog.add("numpy.Flip", {"x", "axis=None"}, &flip);
  catalog.add("numpy.Tile", {"x", "repeats"}, &tile);
  catalog.add("numpy.Repeat", {"x", "repeats", "axis=None"}, &repeat);
  catalog.add("numpy.Pad", {"x", "pad_width", "mode='constant'", "constant_values=None"}, &pad);
  catalog.add("numpy.Ravel", {"x"}, &ravel);
  catalog.add("numpy.Flipud", {"x"}, &flipud);
  catalog.add("numpy.Fliplr", {"x"}, &fliplr);
  catalog.add("numpy.Rot90", {"array", "k=1", "axes=(0, 1)"}, &rot90);
  catalog.add("numpy.Roll", {"x", "shift", "axis=None"}, &roll);
}

}  // namespace cornu::ops
