// Factors as Linalg kernels.
#include "factors.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../dispatch/apply.h"
#include "../../dispatch/complex.h"
#include "../../dispatch/custom_gradient.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/creation.h"
#include "../numpy/manipulation.h"
#include "../operators.h"

namespace cornu::detail {

namespace {

using backend::Linalg;

using backend::LinalgOp;

}  // namespace

Tensor transposed(const Tensor& x) { return ops::swapaxes(x, -1, -2); }

void check_matrix(const Tensor& x, const char* who, bool square) {
  if (is_complex(x.dtype())) refuse_complex(who);
  if (x.rank() < 2 || (square && x.shape(-1) != x.shape(-2)))
    throw ShapeError(fmt::format("{}: expected {} in the last two axes, found shape {}.", who,
                                 square ? "a square matrix" : "a matrix", x.shape().str()));
}

Tensor real_of(const Tensor& x) {
  return x.dtype() == DType::float64 ? x : ops::cast(x, DType::float32);
}

Shape batch_of(const Tensor& x) { return x.shape().slice(0, x.rank() - 2); }

std::vector<Tensor> parts_of(const Tensor& x, const Linalg& kernel,
                             std::initializer_list<Shape> shapes) {
  std::vector<TensorSpec> outputs;
  for (const Shape& shape : shapes) outputs.push_back({concat(batch_of(x), shape), x.dtype()});
  if (kernel.op == LinalgOp::lu) outputs[1].dtype = DType::int32;
  const Tensors parts = apply(kernel, {&x, 1}, outputs);
  return {parts.begin(), parts.end()};
}

std::vector<Tensor> lu_parts(const Tensor& x) {
  const int64_t m = x.shape(-2), n = x.shape(-1);
  return parts_of(x, {LinalgOp::lu}, {{m, n}, {std::min(m, n)}});
}

std::vector<Tensor> svd_parts(const Tensor& x, bool full) {
  const int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n);
  return parts_of(x, {LinalgOp::svd, full}, {{m, full ? m : k}, {k}, {full ? n : k, n}});
}

Tensor identity_like(const Tensor& x) {
  const DeviceScope here(x.device());
  const Tensor identity = ops::eye(x.shape(-1), {}, 0, x.dtype());
  return x.rank() == 2 ? identity : ops::broadcast_to(identity, x.shape());
}

Tensor triangular_solution(const Tensor& a, const Tensor& b, bool lower) {
  return apply(Linalg{LinalgOp::solve_triangular, false, lower}, {a, b}, b.spec());
}

}  // namespace cornu::detail
