// Inverses and systems by factors.
#include "solvers.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "../../dispatch/apply.h"
#include "../../dispatch/complex.h"
#include "../../dispatch/custom_gradient.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/factors.h"
#include "../elementwise.h"
#include "../numpy/complex.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/matrices.h"
#include "../numpy/products.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

using backend::Linalg;

using backend::LinalgOp;

Tensor inverse(const Tensor& x) {
  return apply(Linalg{LinalgOp::solve}, {x, detail::identity_like(x)}, x.spec());
}

// a and b as matrices of one dtype and batch; whether b was a vector.
struct System {
  Tensor a, b;
  bool vector;
};

System system_of(const Tensor& a, const Tensor& b, const char* who) {
  detail::check_matrix(a, who, true);
  const bool vector = b.rank() == 1 || b.rank() == a.rank() - 1;
  const DType dtype = result_type(result_type(a, b), DType::float32);
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  const Tensor right = vector ? expand_dims(b, {-1}) : b;
  if (right.rank() < 2 || right.shape(-2) != a.shape(-1))
    throw ShapeError(fmt::format(
        "{}: a of shape {} and b of shape {} do not fit: b must have as many rows as a.", who,
        a.shape().str(), b.shape().str()));
  const Shape batch = broadcast(detail::batch_of(a), detail::batch_of(right));
  const auto spread = [&](const Tensor& t) {
    const Shape shape = concat(batch, t.shape().slice(t.rank() - 2));
    return cast(t.shape() == shape ? t : broadcast_to(t, shape), wide);
  };
  return {spread(a), spread(right), vector};
}

// Of p x = l u: u's diagonal, and whether the rows were exchanged an even number of times, 1 or -1.
struct Pivots {
  Tensor diagonal, sign;
  explicit Pivots(const Tensor& x) {
    const DeviceScope here(x.device());
    const std::vector<Tensor> lu = detail::lu_parts(x);
    diagonal = ops::diagonal(lu[0], 0, -2, -1);
    const Tensor stays = equal(lu[1], arange(0, x.shape(-1)));
    sign = prod(where(stays, ones({}, x.dtype()), full({}, -1.0, x.dtype())), -1);
  }
};

std::vector<Tensor> sign_and_log(const Tensor& x) {
  const Tensors results = custom_gradient({&x, 1}, [&](std::span<const Tensor> in) -> WithGradient {
    const Pivots pivots(in[0]);
    return {
        {pivots.sign * prod(sign(pivots.diagonal), -1), sum(log(absolute(pivots.diagonal)), -1)},
        [x = in[0]](std::span<const Tensor> d) -> Tensors {
          if (!d[1]) return {Tensor()};
          return {expand_dims(d[1], {-1, -2}) * detail::transposed(inverse(x))};
        }};
  });
  return {results.begin(), results.end()};
}

// The largest of each row, 0 where there is none.
Tensor largest(const Tensor& singular_values) { return max(singular_values, -1, true, 0.0); }

// Golub and Pereyra (1973), transposed.
Tensor pseudo_inverse_gradient(const Tensor& x, const Tensor& p, const Tensor& dp) {
  const Tensor pt = detail::transposed(p), dt = detail::transposed(dp);
  const Tensor wide = matmul(matmul(dt, p), pt), tall = matmul(matmul(pt, p), dt);
  return wide - matmul(x, matmul(p, wide)) + tall - matmul(matmul(tall, p), x) -
         matmul(matmul(pt, dp), pt);
}

Tensor pseudo_inverse(const Tensor& x, double rcond) {
  return custom_gradient({&x, 1}, [&](std::span<const Tensor> in) -> WithGradient {
    const DeviceScope here(in[0].device());
    const std::vector<Tensor> r = detail::svd_parts(in[0], false);
    const Tensor kept = greater(r[1], rcond * largest(r[1]));
    const Tensor inverted = where(kept, 1.0 / r[1], zeros({}, r[1].dtype()));
    const Tensor p =
        matmul(detail::transposed(r[2]) * expand_dims(inverted, {-2}), detail::transposed(r[0]));
    return {{p}, [x = in[0], p](std::span<const Tensor> d) -> Tensors {
              return {pseudo_inverse_gradient(x, p, d[0])};
            }};
  })[0];
}

double resolution_of(DType dtype) {
  return dtype == DType::float64 ? std::numeric_limits<double>::epsilon()
                                 : static_cast<double>(std::numeric_limits<float>::epsilon());
}

double longest(const Tensor& x) { return static_cast<double>(std::max(x.shape(-1), x.shape(-2))); }

}  // namespace

Tensor inv(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&inv, x);
  detail::check_matrix(x, "inv", true);
  return inverse(detail::real_of(x));
}

Tensor det(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&det, x);
  detail::check_matrix(x, "det", true);
  const Tensor real = detail::real_of(x);
  return custom_gradient({&real, 1}, [](std::span<const Tensor> in) -> WithGradient {
    const Pivots pivots(in[0]);
    const Tensor y = pivots.sign * prod(pivots.diagonal, -1);
    return {{y}, [x = in[0], y](std::span<const Tensor> d) -> Tensors {
              return {expand_dims(d[0] * y, {-1, -2}) * detail::transposed(inverse(x))};
            }};
  })[0];
}

TensorTuple<2> slogdet(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&slogdet, x);
  detail::check_matrix(x, "slogdet", true);
  return sign_and_log(detail::real_of(x));
}

Tensor logdet(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&logdet, x);
  detail::check_matrix(x, "logdet", true);
  return sign_and_log(detail::real_of(x))[1];
}

Tensor solve(const Tensor& a, const Tensor& b) {
  if (is_symbolic(a, b)) return symbolic_call(&solve, a, b);
  const System s = system_of(a, b, "solve");
  const Tensor y = apply(Linalg{LinalgOp::solve}, {s.a, s.b}, s.b.spec());
  return s.vector ? squeeze(y, -1) : y;
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower) {
  if (is_symbolic(a, b)) return symbolic_call(&solve_triangular, a, b, lower);
  const System s = system_of(a, b, "solve_triangular");
  const Tensor y = detail::triangular_solution(s.a, s.b, lower);
  return s.vector ? squeeze(y, -1) : y;
}

Tensor pinv(const Tensor& x, std::optional<double> rcond) {
  if (is_symbolic(x)) return symbolic_call(&pinv, x, rcond);
  detail::check_matrix(x, "pinv", false);
  const Tensor real = detail::real_of(x);
  return pseudo_inverse(real, rcond.value_or(10 * longest(x) * resolution_of(real.dtype())));
}

Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond) {
  if (is_symbolic(a, b)) return symbolic_call(&lstsq, a, b, rcond);
  detail::check_matrix(a, "lstsq", false);
  if (b.rank() == 0 || b.shape()[b.rank() == a.rank() ? b.rank() - 2 : b.rank() - 1] != a.shape(-2))
    throw ShapeError(fmt::format(
        "lstsq: a of shape {} and b of shape {} do not fit: b must have as many rows as a.",
        a.shape().str(), b.shape().str()));
  const Tensor real = detail::real_of(a);
  const Tensor p = pseudo_inverse(real, rcond.value_or(longest(a) * resolution_of(real.dtype())));
  const Tensor right = cast(b, real.dtype());
  if (b.rank() == a.rank()) return matmul(p, right);
  return squeeze(matmul(p, expand_dims(right, {-1})), -1);
}

Tensor matrix_rank(const Tensor& x, const std::optional<Tensor>& tol) {
  if (is_symbolic(x, tol)) return symbolic_call(&matrix_rank, x, tol);
  detail::check_matrix(x, "matrix_rank", false);
  const Tensor s = detail::svd_parts(detail::real_of(x), false)[1];
  const Tensor least = tol && *tol ? *tol : largest(s) * (longest(x) * resolution_of(s.dtype()));
  return sum(cast(greater(s, least), DType::int32), -1);
}

void list_linalg_solvers(OpCatalog& catalog) {
  catalog.add("linalg.Inv", {"x"}, &inv);
  catalog.add("linalg.Det", {"x"}, &det);
  catalog.add("numpy.Slogdet", {"x"}, &slogdet);
  catalog.add("math.Logdet", {"x"}, &logdet);
  catalog.add("linalg.Solve", {"a", "b"}, &solve);
  catalog.add("linalg.SolveTriangular", {"a", "b", "lower=False"}, &solve_triangular);
  catalog.add("linalg.Pinv", {"x", "rcond=None"}, &pinv);
  catalog.add("linalg.Lstsq", {"a", "b", "rcond=None"}, &lstsq);
  catalog.add("linalg.MatrixRank", {"x", "tol=None"}, &matrix_rank);
}

}  // namespace cornu::ops
