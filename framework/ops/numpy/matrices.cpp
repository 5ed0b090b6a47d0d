// Diagonals as Copy kernels, triangles as masks.
#include "matrices.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../dispatch/strided.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "indexing.h"
#include "manipulation.h"
#include "reduction.h"

namespace cornu::ops {

namespace {

// Where diagonal `offset` of the last two axes of `shape` stands, with `count` elements.
backend::View diagonal_view(const Shape& shape, int64_t offset) {
  const int rank = shape.rank();
  backend::View view{0, detail::dense_strides(shape)};
  const int64_t row = view.strides[rank - 2], column = view.strides[rank - 1];
  view.offset = offset >= 0 ? offset * column : -offset * row;
  view.strides.pop_back();
  view.strides[rank - 2] = row + column;
  return view;
}

int64_t diagonal_size(int64_t rows, int64_t columns, int64_t offset) {
  return std::max<int64_t>(
      0, std::min(rows + std::min<int64_t>(offset, 0), columns - std::max<int64_t>(offset, 0)));
}

}  // namespace

Tensor diagonal(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  if (is_symbolic(x)) return symbolic_call(&diagonal, x, offset, axis1, axis2);
  if (x.rank() < 2)
    throw ShapeError(
        fmt::format("diagonal: needs two axes or more, found shape {}.", x.shape().str()));
  const Tensor y = moveaxis(x, {axis1, axis2}, {-2, -1});
  const int rank = y.rank();
  Shape shape = y.shape().slice(0, rank - 1);
  shape[rank - 2] = diagonal_size(y.shape()[rank - 2], y.shape()[rank - 1], offset);
  if (shape[rank - 2] == 0) return zeros(shape, x.dtype());
  return detail::copy_box(y, shape, diagonal_view(y.shape(), offset),
                          {0, detail::dense_strides(shape)}, shape, true);
}

Tensor diag(const Tensor& x, int64_t k) {
  if (is_symbolic(x)) return symbolic_call(&diag, x, k);
  if (x.rank() == 2) return diagonal(x, k);
  if (x.rank() != 1)
    throw ShapeError(
        fmt::format("diag: takes a vector or a matrix, found shape {}.", x.shape().str()));
  const int64_t n = x.shape()[0] + std::abs(k);
  if (x.size() == 0) return zeros({n, n}, x.dtype());
  const Shape shape = {n, n};
  return detail::copy_box(x, x.shape(), {0, detail::dense_strides(x.shape())},
                          diagonal_view(shape, k), shape, n == 1);
}

Tensor diagflat(const Tensor& x, int64_t k) {
  if (is_symbolic(x)) return symbolic_call(&diagflat, x, k);
  return diag(reshape(x, {-1}), k);
}

Tensor trace(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  if (is_symbolic(x)) return symbolic_call(&trace, x, offset, axis1, axis2);
  return sum(diagonal(x, offset, axis1, axis2), -1);
}

namespace {

Tensor triangle(const Tensor& x, int64_t k, bool upper, const char* name) {
  if (x.rank() < 2)
    throw ShapeError(
        fmt::format("{}: needs two axes or more, found shape {}.", name, x.shape().str()));
  const Tensor rows = reshape(arange(0, x.shape(-2)), {-1, 1});
  const Tensor columns = arange(0, x.shape(-1));
  const Tensor line = columns - Tensor(k);
  return where(upper ? less_equal(rows, line) : greater_equal(rows, line), x, zeros({}, x.dtype()));
}

}  // namespace

Tensor tril(const Tensor& x, int64_t k) {
  if (is_symbolic(x)) return symbolic_call(&tril, x, k);
  return triangle(x, k, false, "tril");
}

Tensor triu(const Tensor& x, int64_t k) {
  if (is_symbolic(x)) return symbolic_call(&triu, x, k);
  return triangle(x, k, true, "triu");
}

Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
  if (is_symbolic(x)) return symbolic_call(&vander, x, N, increasing);
  if (x.rank() != 1)
    throw ShapeError(fmt::format("vander: takes a vector, found shape {}.", x.shape().str()));
  const double n = static_cast<double>(N.value_or(x.shape()[0]));
  const DType compute = result_type(x.dtype(), DType::float32);
  const Tensor powers = increasing ? arange(0, n, 1, compute) : arange(n - 1, -1, -1, compute);
  return cast(power(cast(expand_dims(x, {-1}), compute), powers), x.dtype());
}

void list_numpy_matrices(OpCatalog& catalog) {
  catalog.add("numpy.Diagonal", {"x", "offset=0", "axis1=0", "axis2=1"}, &diagonal);
  catalog.add("numpy.Diag", {"x", "k=0"}, &diag);
  catalog.add("numpy.Diagflat", {"x", "k=0"}, &diagflat);
  catalog.add("numpy.Trace", {"x", "offset=0", "axis1=0", "axis2=1"}, &trace);
  catalog.add("numpy.Tril", {"x", "k=0"}, &tril);
  catalog.add("numpy.Triu", {"x", "k=0"}, &triu);
  catalog.add("numpy.Vander", {"x", "N=None", "increasing=False"}, &vander);
}

}  // namespace cornu::ops
