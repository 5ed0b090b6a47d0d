// Diagonals as strided copies; products by way of matmul.
#include "matrices.h"

#include <fmt/core.h>

#include <algorithm>

#include "../catalog.h"
#include "../core/cast.h"
#include "creation.h"
#include "indexing.h"
#include "products.h"
#include "../operators.h"
#include "reduction.h"
#include "manipulation.h"
#include "../../dispatch/strided.h"

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
  return op(
      &diagonal,
      [](const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
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
      },
      x, offset, axis1, axis2);
}

Tensor diag(const Tensor& x, int64_t k) {
  return op(
      &diag,
      [](const Tensor& x, int64_t k) {
        if (x.rank() == 2) return diagonal(x, k);
        if (x.rank() != 1)
          throw ShapeError(
              fmt::format("diag: takes a vector or a matrix, found shape {}.", x.shape().str()));
        const int64_t n = x.shape()[0] + std::abs(k);
        if (x.size() == 0) return zeros({n, n}, x.dtype());
        const Shape shape = {n, n};
        return detail::copy_box(x, x.shape(), {0, detail::dense_strides(x.shape())},
                                diagonal_view(shape, k), shape, n == 1);
      },
      x, k);
}

Tensor diagflat(const Tensor& x, int64_t k) {
  return op(
      &diagflat, [](const Tensor& x, int64_t k) { return diag(reshape(x, {-1}), k); }, x, k);
}

Tensor trace(const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
  return op(
      &trace,
      [](const Tensor& x, int64_t offset, int64_t axis1, int64_t axis2) {
        return sum(diagonal(x, offset, axis1, axis2), -1);
      },
      x, offset, axis1, axis2);
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
  return op(
      &tril, [](const Tensor& x, int64_t k) { return triangle(x, k, false, "tril"); }, x, k);
}

Tensor triu(const Tensor& x, int64_t k) {
  return op(
      &triu, [](const Tensor& x, int64_t k) { return triangle(x, k, true, "triu"); }, x, k);
}

Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
  return op(
      &vander,
      [](const Tensor& x, std::optional<int64_t> N, bool increasing) {
        if (x.rank() != 1)
          throw ShapeError(fmt::format("vander: takes a vector, found shape {}.", x.shape().str()));
        const double n = static_cast<double>(N.value_or(x.shape()[0]));
        const DType compute = result_type(x.dtype(), DType::float32);
        const Tensor powers =
            increasing ? arange(0, n, 1, compute) : arange(n - 1, -1, -1, compute);
        return cast(power(cast(expand_dims(x, {-1}), compute), powers), x.dtype());
      },
      x, N, increasing);
}

namespace {

std::vector<int64_t> axes_of(const Value& v, int rank) {
  std::vector<int64_t> axes = detail::from_value<std::vector<int64_t>>(v);
  for (int64_t& a : axes) a = normalize_axis(a, rank, "tensordot: axes");
  return axes;
}

// The product over axes `a` of x and `b` of y.
Tensor contract(const Tensor& x, const Tensor& y, const std::vector<int64_t>& a,
                const std::vector<int64_t>& b) {
  bool fits = a.size() == b.size();
  for (size_t i = 0; fits && i < a.size(); ++i)
    fits = x.shape()[static_cast<int>(a[i])] == y.shape()[static_cast<int>(b[i])];
  if (!fits)
    throw ShapeError(fmt::format("tensordot: the axes to sum over do not fit, in shapes {} and {}.",
                                 x.shape().str(), y.shape().str()));
  std::vector<int64_t> left, right = b;
  Shape shape;
  int64_t m = 1, n = 1, k = 1;
  for (int i = 0; i < x.rank(); ++i)
    if (std::find(a.begin(), a.end(), i) == a.end()) {
      left.push_back(i);
      shape.push_back(x.shape()[i]);
      m *= x.shape()[i];
    }
  for (int64_t i : a) k *= x.shape()[static_cast<int>(i)];
  left.insert(left.end(), a.begin(), a.end());
  for (int i = 0; i < y.rank(); ++i)
    if (std::find(b.begin(), b.end(), i) == b.end()) {
      right.push_back(i);
      shape.push_back(y.shape()[i]);
      n *= y.shape()[i];
    }
  const DType dtype = result_type(x, y);
  const Tensor p = reshape(transpose(x, left), {m, k}), q = reshape(transpose(y, right), {k, n});
  // Keras widens int8 in `matmul`, not here.
  const bool narrow = dtype == DType::int8;
  return cast(
      reshape(matmul(narrow ? cast(p, DType::int32) : p, narrow ? cast(q, DType::int32) : q),
              shape),
      dtype);
}

}  // namespace

Tensor tensordot(const Tensor& x1, const Tensor& x2, const Value& axes) {
  return op(
      &tensordot,
      [](const Tensor& x, const Tensor& y, const Value& axes) {
        if (axes.is<Value::List>()) {
          const Value::List& pair = axes.get<Value::List>();
          if (pair.size() != 2)
            throw ValueError("tensordot: axes is a number or a list of two, x1's and x2's.");
          return contract(x, y, axes_of(pair[0], x.rank()), axes_of(pair[1], y.rank()));
        }
        const int64_t count = detail::from_value<int64_t>(axes);
        if (count < 0 || count > std::min(x.rank(), y.rank()))
          throw ShapeError(fmt::format("tensordot: {} axes of shapes {} and {}.", count,
                                       x.shape().str(), y.shape().str()));
        std::vector<int64_t> a, b;
        for (int64_t i = 0; i < count; ++i) {
          a.push_back(x.rank() - count + i);
          b.push_back(i);
        }
        return contract(x, y, a, b);
      },
      x1, x2, axes);
}

Tensor dot(const Tensor& x1, const Tensor& x2) {
  return op(
      &dot,
      [](const Tensor& x, const Tensor& y) {
        if (x.rank() == 0 || y.rank() == 0) return multiply(x, y);
        return contract(x, y, {x.rank() - 1}, {y.rank() == 1 ? 0 : y.rank() - 2});
      },
      x1, x2);
}

Tensor inner(const Tensor& x1, const Tensor& x2) {
  return op(
      &inner,
      [](const Tensor& x, const Tensor& y) {
        if (x.rank() == 0 || y.rank() == 0) return multiply(x, y);
        return contract(x, y, {x.rank() - 1}, {y.rank() - 1});
      },
      x1, x2);
}

Tensor outer(const Tensor& x1, const Tensor& x2) {
  return op(
      &outer,
      [](const Tensor& x, const Tensor& y) {
        return multiply(reshape(strong(x), {-1, 1}), reshape(strong(y), {-1}));
      },
      x1, x2);
}

Tensor vdot(const Tensor& x1, const Tensor& x2) {
  return op(
      &vdot,
      [](const Tensor& x, const Tensor& y) {
        return contract(reshape(strong(x), {-1}), reshape(strong(y), {-1}), {0}, {0});
      },
      x1, x2);
}

Tensor kron(const Tensor& x1, const Tensor& x2) {
  return op(
      &kron,
      [](const Tensor& x, const Tensor& y) {
        const int rank = std::max(x.rank(), y.rank());
        if (2 * rank > Shape::max_rank)
          throw UnsupportedError(
              fmt::format("kron: takes tensors of up to {} axes, found shapes {} and {}.",
                          Shape::max_rank / 2, x.shape().str(), y.shape().str()));
        Shape a, b, shape;
        for (int i = 0; i < rank; ++i) {
          const int from_x = i - (rank - x.rank()), from_y = i - (rank - y.rank());
          const int64_t m = from_x >= 0 ? x.shape()[from_x] : 1,
                        n = from_y >= 0 ? y.shape()[from_y] : 1;
          a.push_back(m);
          a.push_back(1);
          b.push_back(1);
          b.push_back(n);
          shape.push_back(m * n);
        }
        return reshape(multiply(reshape(strong(x), a), reshape(strong(y), b)), shape);
      },
      x1, x2);
}

Tensor cross(const Tensor& x1, const Tensor& x2, int64_t axisa, int64_t axisb, int64_t axisc,
             std::optional<int64_t> axis) {
  return op(
      &cross,
      [](const Tensor& x1, const Tensor& x2, int64_t axisa, int64_t axisb, int64_t axisc,
         std::optional<int64_t> axis) {
        const DType dtype = result_type(x1, x2);
        const auto parts = [&](const Tensor& x, int64_t along) {
          std::vector<Tensor> components = unstack(cast(x, dtype), {}, axis.value_or(along));
          if (components.size() != 2 && components.size() != 3)
            throw ShapeError(
                fmt::format("cross: the axis of vectors must have size 2 or 3, found shape {}.",
                            x.shape().str()));
          return components;
        };
        std::vector<Tensor> a = parts(x1, axisa), b = parts(x2, axisb);
        const Tensor third = multiply(a[0], b[1]) - multiply(a[1], b[0]);
        if (a.size() == 2 && b.size() == 2) return third;
        for (auto* v : {&a, &b})
          if (v->size() == 2) v->push_back(zeros_like((*v)[0]));
        return stack({multiply(a[1], b[2]) - multiply(a[2], b[1]),
                      multiply(a[2], b[0]) - multiply(a[0], b[2]), third},
                     axis.value_or(axisc));
      },
      x1, x2, axisa, axisb, axisc, axis);
}

Tensor corrcoef(const Tensor& x) {
  return op(
      &corrcoef,
      [](const Tensor& given) {
        if (given.rank() == 0 || given.rank() > 2)
          throw ShapeError(fmt::format("corrcoef: takes (variables, samples), found shape {}.",
                                       given.shape().str()));
        Tensor x = is_float(given.dtype()) ? given : cast(given, DType::float32);
        if (x.rank() == 1) x = reshape(x, {1, -1});
        const Tensor centered = x - mean(x, -1, true);
        const Tensor products = matmul_transposed(centered, centered, false, true);
        const Tensor lengths = sqrt(diagonal(products));
        const Tensor y = clip(products / outer(lengths, lengths), -1.0, 1.0);
        return given.rank() == 1 ? reshape(y, {}) : y;
      },
      x);
}

Tensor correlate(const Tensor& x1, const Tensor& x2, const std::string& mode) {
  return op(
      &correlate,
      [](const Tensor& x1, const Tensor& x2, const std::string& mode) {
        if (x1.rank() != 1 || x2.rank() != 1 || x1.size() == 0 || x2.size() == 0)
          throw ShapeError(fmt::format(
              "correlate: takes two vectors that are not empty, found shapes {} and {}.",
              x1.shape().str(), x2.shape().str()));
        if (mode != "valid" && mode != "same" && mode != "full")
          throw ValueError(
              fmt::format("correlate: mode must be 'valid', 'same' or 'full', found '{}'.", mode));
        DType dtype = result_type(x1, x2);
        if (!is_float(dtype)) dtype = dtype == DType::int64 ? DType::float64 : DType::float32;
        const Tensor x = cast(x1, dtype), y = cast(x2, dtype);
        const int64_t n = x.size(), m = y.size();
        if (mode == "valid" && n < m) return flip(correlate(y, x, mode));
        int64_t first = 0, count = n - m + 1;
        if (mode != "valid") {
          // The stretches of x with m - 1 zeros on either side.
          count = mode == "full" ? n + m - 1 : std::max(n, m);
          first = (n + m - 1 - count) / 2;
        }
        const Tensor padded = mode == "valid" ? x : pad(x, {{m - 1, m - 1}});
        const Tensor starts = reshape(arange(first, first + count), {-1, 1});
        return matmul(take(padded, starts + arange(0, m), 0), y);
      },
      x1, x2, mode);
}

void list_matrices(OpCatalog& catalog) {
  catalog.add("numpy.Diagonal", {"x", "offset=0", "axis1=0", "axis2=1"}, &diagonal);
  catalog.add("numpy.Diag", {"x", "k=0"}, &diag);
  catalog.add("numpy.Diagflat", {"x", "k=0"}, &diagflat);
  catalog.add("numpy.Trace", {"x", "offset=0", "axis1=0", "axis2=1"}, &trace);
  catalog.add("numpy.Tril", {"x", "k=0"}, &tril);
  catalog.add("numpy.Triu", {"x", "k=0"}, &triu);
  catalog.add("numpy.Vander", {"x", "N=None", "increasing=False"}, &vander);
  catalog.add("numpy.Dot", {"x1", "x2"}, &dot);
  catalog.add("numpy.Inner", {"x1", "x2"}, &inner);
  catalog.add("numpy.Outer", {"x1", "x2"}, &outer);
  catalog.add("numpy.Vdot", {"x1", "x2"}, &vdot);
  catalog.add("numpy.Tensordot", {"x1", "x2", "axes=2"}, &tensordot);
  catalog.add("numpy.Kron", {"x1", "x2"}, &kron);
  catalog.add("numpy.Cross", {"x1", "x2", "axisa=-1", "axisb=-1", "axisc=-1", "axis=None"}, &cross);
  catalog.add("numpy.Corrcoef", {"x"}, &corrcoef);
  catalog.add("numpy.Correlate", {"x1", "x2", "mode='valid'"}, &correlate);
}

}  // namespace cornu::ops
