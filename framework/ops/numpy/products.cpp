// Products: shapes, then one Matmul kernel or one program.
#include "products.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/float8.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../convert.h"
#include "../core/cast.h"
#include "../core/slices.h"
#include "../detail/strong.h"
#include "../elementwise.h"
#include "../operators.h"
#include "creation.h"
#include "joining.h"
#include "manipulation.h"

namespace cornu::ops {

namespace {

[[noreturn]] void refuse(const Tensor& a, const Tensor& b) {
  throw ShapeError(
      fmt::format("matmul: shapes {} and {} do not fit: the last axis of the first must equal the "
                  "second-to-last of the second, leading axes must broadcast.",
                  a.shape().str(), b.shape().str()));
}

// Whether kernels multiply these as they are: int8 into int32, 8-bit floats into float32.
bool both_eight_bits(const Tensor& a, const Tensor& b) {
  return (a.dtype() == DType::int8 && b.dtype() == DType::int8) ||
         both_float8(a.dtype(), b.dtype());
}

// The dtype of a product: Keras multiplies int8 by int8 into int32.
DType product_type(const Tensor& a, const Tensor& b) {
  if (both_float8(a.dtype(), b.dtype())) return DType::float32;
  const DType dtype = result_type(a, b);
  return a.dtype() == DType::int8 && b.dtype() == DType::int8 ? DType::int32
         : dtype == DType::boolean                            ? DType::int32
                                                              : dtype;
}

}  // namespace

Tensor matmul_transposed(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  const int ra = a.rank(), rb = b.rank();
  if (ra < 2 || rb < 2) refuse(a, b);
  const int64_t m = a.shape()[ra - (transpose_a ? 1 : 2)],
                ka = a.shape()[ra - (transpose_a ? 2 : 1)];
  const int64_t kb = b.shape()[rb - (transpose_b ? 1 : 2)],
                n = b.shape()[rb - (transpose_b ? 2 : 1)];
  if (ka != kb) refuse(a, b);
  const DType dtype = product_type(a, b);
  const bool narrow = both_eight_bits(a, b);
  const Tensor left = narrow ? a : cast(a, dtype), right = narrow ? b : cast(b, dtype);
  // Leading axes of a alone fold into its rows: one large product is faster than many small ones.
  if (rb == 2 && ra > 2 && !transpose_a) {
    const Tensor y =
        apply(backend::Matmul{false, transpose_b, false}, {reshape(left, {-1, ka}), right},
              TensorSpec{{a.size() / std::max<int64_t>(ka, 1), n}, dtype});
    Shape shape = a.shape();
    shape[ra - 1] = n;
    return apply_reshape(y, shape);
  }
  Shape batch;
  try {
    batch = broadcast(a.shape().slice(0, ra - 2), b.shape().slice(0, rb - 2));
  } catch (const ShapeError&) {
    refuse(a, b);
  }
  return apply(backend::Matmul{transpose_a, transpose_b, false}, {left, right},
               TensorSpec{concat(batch, {m, n}), dtype});
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  if (is_symbolic(a, b)) return symbolic_call(&matmul, a, b);
  if (a.rank() == 0 || b.rank() == 0) refuse(a, b);
  // Whether any pair of elements holds; Matmul counts them.
  if (a.dtype() == DType::boolean && b.dtype() == DType::boolean)
    return cast(matmul(cast(a, DType::int32), cast(b, DType::int32)), DType::boolean);
  if (a.rank() == 1 && b.rank() == 1)
    return reshape(matmul(reshape(a, {1, -1}), reshape(b, {-1, 1})), {});
  if (a.rank() == 1) return squeeze(matmul(expand_dims(a, {0}), b), -2);
  if (b.rank() == 1) return squeeze(matmul(a, expand_dims(b, {-1})), -1);
  return matmul_transposed(a, b, false, false);
}

Tensor linear(const Tensor& x, const Tensor& kernel, const Tensor& bias) {
  if (x.rank() == 0 || kernel.rank() != 2 || x.shape().back() != kernel.shape()[0])
    throw ShapeError(fmt::format(
        "linear: input of shape {} and kernel of shape {}: the input's last axis must be "
        "the kernel's first.",
        x.shape().str(), kernel.shape().str()));
  if (!bias) return x.rank() == 1 ? matmul(x, kernel) : matmul_transposed(x, kernel, false, false);
  const int64_t k = kernel.shape()[0], n = kernel.shape()[1];
  if (bias.shape() != Shape{n})
    throw ShapeError(
        fmt::format("linear: bias of shape {} for {} outputs.", bias.shape().str(), n));
  const DType dtype = product_type(x, kernel);
  const int64_t rows = x.size() / std::max<int64_t>(k, 1);
  const Tensor flat = x.rank() == 2 ? x : apply_reshape(x, {rows, k});
  const Tensor y = apply(backend::Matmul{false, false, true},
                         {cast(flat, dtype), cast(kernel, dtype), cast(bias, dtype)},
                         TensorSpec{{rows, n}, dtype});
  if (x.rank() == 2) return y;
  Shape shape = x.shape();
  shape[x.rank() - 1] = n;
  return apply_reshape(y, shape);
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

constexpr Tensor (*tensordot_of_value)(const Tensor&, const Tensor&, const Value&) = &tensordot;

}  // namespace

Tensor tensordot(const Tensor& x, const Tensor& y, std::initializer_list<Integers> axes) {
  if (axes.size() == 1) return tensordot(x, y, Value(*axes.begin()));
  return tensordot(x, y, Value(Value::List(axes.begin(), axes.end())));
}

Tensor tensordot(const Tensor& x, const Tensor& y, const Value& axes) {
  if (is_symbolic(x, y)) return symbolic_call(tensordot_of_value, x, y, axes);
  if (axes.is<Value::List>()) {
    const Value::List& pair = axes.get<Value::List>();
    if (pair.size() != 2)
      throw ValueError("tensordot: axes is a number or a list of two, x1's and x2's.");
    return contract(x, y, axes_of(pair[0], x.rank()), axes_of(pair[1], y.rank()));
  }
  const int64_t count = detail::from_value<int64_t>(axes);
  if (count < 0 || count > std::min(x.rank(), y.rank()))
    throw ShapeError(fmt::format("tensordot: {} axes of shapes {} and {}.", count, x.shape().str(),
                                 y.shape().str()));
  std::vector<int64_t> a, b;
  for (int64_t i = 0; i < count; ++i) {
    a.push_back(x.rank() - count + i);
    b.push_back(i);
  }
  return contract(x, y, a, b);
}

Tensor dot(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&dot, x, y);
  if (x.rank() == 0 || y.rank() == 0) return multiply(x, y);
  return contract(x, y, {x.rank() - 1}, {y.rank() == 1 ? 0 : y.rank() - 2});
}

Tensor inner(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&inner, x, y);
  if (x.rank() == 0 || y.rank() == 0) return multiply(x, y);
  return contract(x, y, {x.rank() - 1}, {y.rank() - 1});
}

Tensor outer(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&outer, x, y);
  return multiply(reshape(detail::strong(x), {-1, 1}), reshape(detail::strong(y), {-1}));
}

Tensor vdot(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&vdot, x, y);
  return contract(reshape(detail::strong(x), {-1}), reshape(detail::strong(y), {-1}), {0}, {0});
}

Tensor kron(const Tensor& x, const Tensor& y) {
  if (is_symbolic(x, y)) return symbolic_call(&kron, x, y);
  const int rank = std::max(x.rank(), y.rank());
  if (2 * rank > Shape::max_rank)
    throw UnsupportedError(
        fmt::format("kron: takes tensors of up to {} axes, found shapes {} and {}.",
                    Shape::max_rank / 2, x.shape().str(), y.shape().str()));
  Shape a, b, shape;
  for (int i = 0; i < rank; ++i) {
    const int from_x = i - (rank - x.rank()), from_y = i - (rank - y.rank());
    const int64_t m = from_x >= 0 ? x.shape()[from_x] : 1, n = from_y >= 0 ? y.shape()[from_y] : 1;
    a.push_back(m);
    a.push_back(1);
    b.push_back(1);
    b.push_back(n);
    shape.push_back(m * n);
  }
  return reshape(multiply(reshape(detail::strong(x), a), reshape(detail::strong(y), b)), shape);
}

Tensor cross(const Tensor& x1, const Tensor& x2, int64_t axisa, int64_t axisb, int64_t axisc,
             std::optional<int64_t> axis) {
  if (is_symbolic(x1, x2)) return symbolic_call(&cross, x1, x2, axisa, axisb, axisc, axis);
  const DType dtype = result_type(x1, x2);
  const auto parts = [&](const Tensor& x, int64_t along) {
    std::vector<Tensor> components = unstack(cast(x, dtype), {}, axis.value_or(along));
    if (components.size() != 2 && components.size() != 3)
      throw ShapeError(fmt::format(
          "cross: the axis of vectors must have size 2 or 3, found shape {}.", x.shape().str()));
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
}

void list_numpy_products(OpCatalog& catalog) {
  catalog.add("numpy.Matmul", {"x1", "x2"}, &matmul);
  catalog.add("numpy.Dot", {"x1", "x2"}, &dot);
  catalog.add("numpy.Inner", {"x1", "x2"}, &inner);
  catalog.add("numpy.Outer", {"x1", "x2"}, &outer);
  catalog.add("numpy.Vdot", {"x1", "x2"}, &vdot);
  catalog.add("numpy.Tensordot", {"x1", "x2", "axes=2"}, tensordot_of_value);
  catalog.add("numpy.Kron", {"x1", "x2"}, &kron);
  catalog.add("numpy.Cross", {"x1", "x2", "axisa=-1", "axisb=-1", "axisc=-1", "axis=None"}, &cross);
}

}  // namespace cornu::ops
