// Decompositions as work of the host, with gradients written in products; single matrices are in
// matrices_by_lapack.cpp.
#include "decompositions.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "../graph/tape.h"
#include "catalog.h"
#include "core.h"
#include "creation.h"
#include "indexing.h"
#include "linalg.h"
#include "operators.h"
#include "reduction.h"
#include "shaping.h"

namespace cornu::ops {
namespace {

using detail::Matrix;

Tensor turned(const Tensor& x) { return swapaxes(x, -1, -2); }

void check_matrix(const Tensor& x, const char* who, bool square) {
  if (x.rank() < 2 || (square && x.shape(-1) != x.shape(-2)))
    throw ShapeError(fmt::format("{}: expected {} in the last two axes, found shape {}.", who,
                                 square ? "a square matrix" : "a matrix", x.shape().str()));
}

Tensor real_of(const Tensor& x) {
  return x.dtype() == DType::float64 ? x : cast(x, DType::float32);
}

Shape batch_of(const Tensor& x) { return x.shape().slice(0, x.rank() - 2); }

Matrix load(const Tensor& x, int64_t batch) {
  Matrix m(x.shape(-2), x.shape(-1));
  const int64_t n = m.rows * m.columns;
  if (x.dtype() == DType::float64) {
    const auto* from = static_cast<const double*>(x.data()) + batch * n;
    std::copy(from, from + n, m.v.begin());
  } else {
    const auto* from = static_cast<const float*>(x.data()) + batch * n;
    std::copy(from, from + n, m.v.begin());
  }
  return m;
}

void store(const Matrix& m, const Tensor& out, int64_t batch) {
  const auto put = [&](auto* to) {
    to += batch * static_cast<int64_t>(m.v.size());
    for (double v : m.v) *to++ = static_cast<std::remove_reference_t<decltype(*to)>>(v);
  };
  if (out.dtype() == DType::int32)
    put(out.mutable_data<int32_t>());
  else if (out.dtype() == DType::float64)
    put(out.mutable_data<double>());
  else
    put(out.mutable_data<float>());
}

using Matrices = std::vector<Matrix>;

// f of each matrix of the batch; `shapes` are those of the results without the batch.
Tensors on_matrices(const char* name, const std::vector<Tensor>& inputs,
                    const std::vector<Shape>& shapes,
                    const std::function<Matrices(const Matrices&)>& f,
                    std::vector<DType> dtypes = {}) {
  const Shape batch = batch_of(inputs[0]);
  std::vector<TensorSpec> outputs;
  for (size_t i = 0; i < shapes.size(); ++i)
    outputs.push_back(
        {concat(batch, shapes[i]), i < dtypes.size() ? dtypes[i] : inputs[0].dtype()});
  const int64_t count = batch.numel();
  return apply_host(
      [f, count](std::span<const Tensor> in, std::span<const Tensor> out) {
        for (int64_t b = 0; b < count; ++b) {
          Matrices given;
          for (const Tensor& t : in) given.push_back(load(t, b));
          const Matrices found = f(given);
          for (size_t i = 0; i < out.size(); ++i) store(found[i], out[i], b);
        }
      },
      inputs, outputs, name);
}

// One matrix from one or two, with gradients of the inputs from the result's.
using Backward = std::function<Tensors(const Tensor& y, const Tensor& dy)>;
Tensor with_gradient(const char* name, const std::vector<Tensor>& inputs, const Shape& shape,
                     const std::function<Matrix(const Matrices&)>& f, const Backward& backward) {
  return custom_gradient(inputs, [&](std::span<const Tensor> in) -> WithGradient {
    const std::vector<Tensor> given(in.begin(), in.end());
    const Tensors y =
        on_matrices(name, given, {shape}, [f](const Matrices& m) { return Matrices{f(m)}; });
    return {y, [y = y[0], backward](std::span<const Tensor> dy) { return backward(y, dy[0]); }};
  })[0];
}

// 1 on and below the diagonal, with `diagonal` on it, 0 above; or the transpose.
Tensor triangle(int64_t n, bool lower, double diagonal, DType dtype) {
  std::vector<float> v(static_cast<size_t>(n * n));
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      v[static_cast<size_t>(i * n + j)] = i == j             ? static_cast<float>(diagonal)
                                          : (i > j) == lower ? 1.0f
                                                             : 0.0f;
  return cast(Tensor::from(v, {n, n}), dtype);
}

Tensor inverse(const Tensor& x) {
  return with_gradient(
      "inv", {x}, {x.shape(-1), x.shape(-1)},
      [](const Matrices& m) { return solution_of(m[0], Matrix::identity(m[0].rows)); },
      [](const Tensor& y, const Tensor& dy) -> Tensors {
        const Tensor t = turned(y);
        return {-matmul(matmul(t, dy), t)};
      });
}

// a and b as matrices of one dtype and batch; whether b was a vector.
struct System {
  Tensor a, b;
  bool vector;
};

System system_of(const Tensor& a, const Tensor& b, const char* who) {
  check_matrix(a, who, true);
  const bool vector = b.rank() == a.rank() - 1;
  const DType dtype = result_type(result_type(a, b), DType::float32);
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  const Tensor right = vector ? expand_dims(b, {-1}) : b;
  if (right.rank() < 2 || right.shape(-2) != a.shape(-1))
    throw ShapeError(fmt::format(
        "{}: a of shape {} and b of shape {} do not fit: b must have as many rows as a.", who,
        a.shape().str(), b.shape().str()));
  const Shape batch = broadcast(batch_of(a), batch_of(right));
  const auto spread = [&](const Tensor& t) {
    const Shape shape = concat(batch, t.shape().slice(t.rank() - 2));
    return cast(t.shape() == shape ? t : broadcast_to(t, shape), wide);
  };
  return {spread(a), spread(right), vector};
}

Tensor triangular(const Tensor& a, const Tensor& b, bool lower) {
  return with_gradient(
      "solve_triangular", {a, b}, {b.shape(-2), b.shape(-1)},
      [lower](const Matrices& m) { return solve_triangle(m[0], m[1], lower); },
      [a, lower](const Tensor& y, const Tensor& dy) -> Tensors {
        const Tensor db = triangular(turned(a), dy, !lower);
        return {-matmul(db, turned(y)) * triangle(a.shape(-1), lower, 1, a.dtype()), db};
      });
}

Tensor lower_cholesky(const Tensor& x) {
  return with_gradient(
      "cholesky", {x}, {x.shape(-1), x.shape(-1)},
      [](const Matrices& m) { return detail::cholesky_of(m[0]); },
      [](const Tensor& l, const Tensor& dl) -> Tensors {
        // Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527.
        const Tensor p = matmul(turned(l), dl) * triangle(l.shape(-1), true, 0.5, l.dtype());
        const Tensor left = triangular(turned(l), p, false);
        const Tensor s = turned(triangular(turned(l), turned(left), false));
        return {(s + turned(s)) * 0.5};
      });
}

std::vector<Tensor> as_vector(const Tensors& t) { return {t.begin(), t.end()}; }

std::vector<Tensor> reduced_qr(const Tensor& x, bool complete) {
  const int64_t m = x.shape(-2), n = x.shape(-1), k = complete ? m : std::min(m, n);
  return as_vector(custom_gradient({&x, 1}, [&](std::span<const Tensor> in) -> WithGradient {
    const Tensors y =
        on_matrices("qr", {in[0]}, {{m, k}, {k, n}}, [complete](const Matrices& given) {
          auto [q, r] = detail::qr_of(given[0], complete);
          return Matrices{std::move(q), std::move(r)};
        });
    return {y, [q = y[0], r = y[1], m, n, k](std::span<const Tensor> d) -> Tensors {
              if (k != n)
                throw UnsupportedError(fmt::format(
                    "qr: no gradient of the decomposition of a ({}, {}) matrix into ({}, {}) and "
                    "({}, {}); only of reduced ones of matrices with no more columns than rows.",
                    m, n, m, k, k, n));
              const Tensor dq = d[0] ? d[0] : zeros_like(q), dr = d[1] ? d[1] : zeros_like(r);
              const Tensor s = matmul(r, turned(dr)) - matmul(turned(dq), q);
              const Tensor below = s * triangle(n, true, 0, s.dtype());
              const Tensor symmetric = below + turned(below) + s * eye(n, {}, 0, s.dtype());
              // x' = (dq + q symmetric) r^-T, as the solution of a triangular system.
              return {turned(triangular(r, turned(dq + matmul(q, symmetric)), false))};
            }};
  }));
}

std::vector<Tensor> symmetric_eigen(const Tensor& x) {
  const int64_t n = x.shape(-1);
  return as_vector(custom_gradient({&x, 1}, [&](std::span<const Tensor> in) -> WithGradient {
    const Tensors y = on_matrices("eigh", {in[0]}, {{n}, {n, n}}, [](const Matrices& m) {
      auto [values, vectors] = detail::eigh_of(m[0]);
      return Matrices{std::move(values), std::move(vectors)};
    });
    return {y, [w = y[0], v = y[1], n](std::span<const Tensor> d) -> Tensors {
              Tensor inner;
              const Tensor identity = eye(n, {}, 0, v.dtype());
              if (d[0]) inner = expand_dims(d[0], {-2}) * identity;
              if (d[1]) {
                const Tensor gaps = expand_dims(w, {-2}) - expand_dims(w, {-1});
                const Tensor f = (1.0 - identity) / (gaps + identity);
                const Tensor term = f * matmul(turned(v), d[1]);
                inner = inner ? inner + term : term;
              }
              const Tensor dx = matmul(matmul(v, inner), turned(v));
              return {(dx + turned(dx)) * 0.5};
            }};
  }));
}

// The first `count` along an axis.
Tensor first(const Tensor& x, int64_t count, int axis) {
  return x.shape(axis) == count ? x : split(x, std::vector<int64_t>{count}, axis)[0];
}

std::vector<Tensor> singular_values(const Tensor& x, bool full) {
  const int64_t m = x.shape(-2), n = x.shape(-1), k = std::min(m, n);
  const int64_t columns = full ? m : k, rows = full ? n : k;
  return as_vector(custom_gradient({&x, 1}, [&](std::span<const Tensor> in) -> WithGradient {
    const Tensors y =
        on_matrices("svd", {in[0]}, {{m, columns}, {k}, {rows, n}}, [full](const Matrices& given) {
          detail::SingularValues r = detail::svd_of(given[0], full);
          return Matrices{std::move(r.u), std::move(r.s), std::move(r.vt)};
        });
    return {y,
            [s = y[1], whole_u = y[0], whole_vt = y[2], m, n, k, columns,
             rows](std::span<const Tensor> d) -> Tensors {
              const Tensor u = first(whole_u, k, -1), vt = first(whole_vt, k, -2);
              const Tensor identity = eye(k, {}, 0, s.dtype());
              Tensor inner = d[1] ? expand_dims(d[1], {-2}) * identity : Tensor();
              if (d[0] || d[2]) {
                if (columns != k || rows != k)
                  throw UnsupportedError(
                      "svd: no gradient of singular vectors with full_matrices=True of a matrix "
                      "that is not "
                      "square.");
                // Townsend, Differentiating the singular value decomposition (2016).
                const Tensor row = expand_dims(s, {-2}), column = expand_dims(s, {-1});
                const Tensor f = (1.0 - identity) / (square(row) - square(column) + identity);
                const auto skew = [&](const Tensor& t) { return f * (t - turned(t)); };
                if (d[0]) {
                  const Tensor term = skew(matmul(turned(u), d[0])) * row;
                  inner = inner ? inner + term : term;
                }
                if (d[2]) {
                  const Tensor term = column * skew(matmul(vt, turned(d[2])));
                  inner = inner ? inner + term : term;
                }
              }
              Tensor dx = matmul(matmul(u, inner), vt);
              if (d[0] && m > k) {
                const Tensor part = d[0] / expand_dims(s, {-2});
                dx = dx + matmul(part - matmul(u, matmul(turned(u), part)), vt);
              }
              if (d[2] && n > k) {
                const Tensor part = d[2] / expand_dims(s, {-1});
                dx = dx + matmul(u, part - matmul(matmul(part, turned(vt)), vt));
              }
              return {dx};
            }};
  }));
}

Tensor pseudo_inverse(const Tensor& x, double rcond) {
  return with_gradient(
      "pinv", {x}, {x.shape(-1), x.shape(-2)},
      [rcond](const Matrices& m) {
        const detail::SingularValues r = detail::svd_of(m[0], false);
        Matrix y(m[0].columns, m[0].rows);
        for (int64_t k = 0; k < r.s.columns; ++k) {
          if (!(r.s(0, k) > rcond * r.s(0, 0))) continue;
          for (int64_t i = 0; i < y.rows; ++i)
            for (int64_t j = 0; j < y.columns; ++j) y(i, j) += r.vt(k, i) * r.u(j, k) / r.s(0, k);
        }
        return y;
      },
      [x](const Tensor& p, const Tensor& dp) -> Tensors {
        // Golub and Pereyra (1973), transposed.
        const Tensor pt = turned(p), dt = turned(dp);
        const Tensor wide = matmul(matmul(dt, p), pt), tall = matmul(matmul(pt, p), dt);
        return {wide - matmul(x, matmul(p, wide)) + tall - matmul(matmul(tall, p), x) -
                matmul(matmul(pt, dp), pt)};
      });
}

double epsilon_of(DType dtype) {
  return dtype == DType::float64 ? std::numeric_limits<double>::epsilon()
                                 : static_cast<double>(std::numeric_limits<float>::epsilon());
}

double longest(const Tensor& x) { return static_cast<double>(std::max(x.shape(-1), x.shape(-2))); }

std::vector<Tensor> sign_and_log(const Tensor& x) {
  return as_vector(custom_gradient({&x, 1}, [&](std::span<const Tensor> in) -> WithGradient {
    const Tensors y = on_matrices("slogdet", {in[0]}, {{}, {}}, [](const Matrices& m) {
      Matrix lu = m[0], sign(1, 1), log(1, 1);
      std::vector<int64_t> pivots;
      sign(0, 0) = lu_in_place(lu, pivots);
      for (int64_t i = 0; i < lu.rows; ++i) {
        sign(0, 0) *= lu(i, i) > 0 ? 1 : lu(i, i) < 0 ? -1 : 0;
        log(0, 0) += std::log(std::abs(lu(i, i)));
      }
      return Matrices{sign, log};
    });
    return {y, [x = in[0]](std::span<const Tensor> d) -> Tensors {
              if (!d[1]) return {Tensor()};
              return {expand_dims(d[1], {-1, -2}) * turned(inverse(x))};
            }};
  }));
}

}  // namespace

Tensor cholesky(const Tensor& x, bool upper) {
  return op(
      &cholesky,
      [](const Tensor& x, bool upper) {
        check_matrix(x, "cholesky", true);
        const Tensor l = lower_cholesky(real_of(x));
        return upper ? turned(l) : l;
      },
      x, upper);
}

Tensor cholesky_inverse(const Tensor& x, bool upper) {
  return op(
      &cholesky_inverse,
      [](const Tensor& x, bool upper) {
        check_matrix(x, "cholesky_inverse", true);
        const Tensor factor = real_of(x);
        const Tensor identity =
            broadcast_to(eye(factor.shape(-1), {}, 0, factor.dtype()), factor.shape());
        const Tensor inverted = triangular(factor, identity, !upper);
        return upper ? matmul(inverted, turned(inverted)) : matmul(turned(inverted), inverted);
      },
      x, upper);
}

std::vector<Tensor> qr(const Tensor& x, const std::string& mode) {
  return op(
      &qr,
      [](const Tensor& x, const std::string& mode) {
        check_matrix(x, "qr", false);
        if (mode != "reduced" && mode != "complete")
          throw ValueError(
              fmt::format("qr: mode must be \"reduced\" or \"complete\", found \"{}\".", mode));
        return reduced_qr(real_of(x), mode == "complete");
      },
      x, mode);
}

std::vector<Tensor> lu_factor(const Tensor& x) {
  return op(
      &lu_factor,
      [](const Tensor& x) {
        check_matrix(x, "lu_factor", false);
        const Tensor real = real_of(x);
        const int64_t m = x.shape(-2), n = x.shape(-1);
        return as_vector(on_matrices("lu_factor", {real}, {{m, n}, {std::min(m, n)}},
                                     [](const Matrices& given) {
                                       Matrix lu = given[0];
                                       std::vector<int64_t> pivots;
                                       lu_in_place(lu, pivots);
                                       Matrix rows(1, static_cast<int64_t>(pivots.size()));
                                       std::copy(pivots.begin(), pivots.end(), rows.v.begin());
                                       return Matrices{std::move(lu), std::move(rows)};
                                     },
                                     {real.dtype(), DType::int32}));
      },
      x);
}

std::vector<Tensor> eigh(const Tensor& x) {
  return op(
      &eigh,
      [](const Tensor& x) {
        check_matrix(x, "eigh", true);
        return symmetric_eigen(real_of(x));
      },
      x);
}

std::vector<Tensor> eig(const Tensor& x) {
  return op(
      &eig,
      [](const Tensor&) -> std::vector<Tensor> {
        throw UnsupportedError(
            "eig: eigenvalues of general matrices are complex numbers, which Cornu does not have. "
            "For "
            "symmetric matrices use eigh.");
      },
      x);
}

Nest svd(const Tensor& x, bool full_matrices, bool compute_uv) {
  return op(
      &svd,
      [](const Tensor& x, bool full_matrices, bool compute_uv) -> Nest {
        check_matrix(x, "svd", false);
        std::vector<Tensor> r = singular_values(real_of(x), full_matrices && compute_uv);
        if (!compute_uv) return r[1];
        r.resize(3);
        return r;
      },
      x, full_matrices, compute_uv);
}

Tensor inv(const Tensor& x) {
  return op(
      &inv,
      [](const Tensor& x) {
        check_matrix(x, "inv", true);
        return inverse(real_of(x));
      },
      x);
}

Tensor det(const Tensor& x) {
  return op(
      &det,
      [](const Tensor& x) {
        check_matrix(x, "det", true);
        const Tensor real = real_of(x);
        return with_gradient(
            "det", {real}, {},
            [](const Matrices& m) {
              Matrix lu = m[0], y(1, 1);
              std::vector<int64_t> pivots;
              y(0, 0) = lu_in_place(lu, pivots);
              for (int64_t i = 0; i < lu.rows; ++i) y(0, 0) *= lu(i, i);
              return y;
            },
            [real](const Tensor& y, const Tensor& dy) -> Tensors {
              return {expand_dims(dy * y, {-1, -2}) * turned(inverse(real))};
            });
      },
      x);
}

std::vector<Tensor> slogdet(const Tensor& x) {
  return op(
      &slogdet,
      [](const Tensor& x) {
        check_matrix(x, "slogdet", true);
        return sign_and_log(real_of(x));
      },
      x);
}

Tensor logdet(const Tensor& x) {
  return op(
      &logdet,
      [](const Tensor& x) {
        check_matrix(x, "logdet", true);
        return sign_and_log(real_of(x))[1];
      },
      x);
}

Tensor solve(const Tensor& a, const Tensor& b) {
  return op(
      &solve,
      [](const Tensor& a, const Tensor& b) {
        const System s = system_of(a, b, "solve");
        const Tensor y = with_gradient(
            "solve", {s.a, s.b}, {s.b.shape(-2), s.b.shape(-1)},
            [](const Matrices& m) { return solution_of(m[0], m[1]); },
            [a = s.a](const Tensor& y, const Tensor& dy) -> Tensors {
              const Tensor db = solve(turned(a), dy);
              return {-matmul(db, turned(y)), db};
            });
        return s.vector ? squeeze(y, -1) : y;
      },
      a, b);
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower) {
  return op(
      &solve_triangular,
      [](const Tensor& a, const Tensor& b, bool lower) {
        const System s = system_of(a, b, "solve_triangular");
        const Tensor y = triangular(s.a, s.b, lower);
        return s.vector ? squeeze(y, -1) : y;
      },
      a, b, lower);
}

Tensor pinv(const Tensor& x, std::optional<double> rcond) {
  return op(
      &pinv,
      [](const Tensor& x, std::optional<double> rcond) {
        check_matrix(x, "pinv", false);
        const Tensor real = real_of(x);
        return pseudo_inverse(real, rcond.value_or(10 * longest(x) * epsilon_of(real.dtype())));
      },
      x, rcond);
}

Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond) {
  return op(
      &lstsq,
      [](const Tensor& a, const Tensor& b, std::optional<double> rcond) {
        check_matrix(a, "lstsq", false);
        if (b.rank() == 0 ||
            b.shape()[b.rank() == a.rank() ? b.rank() - 2 : b.rank() - 1] != a.shape(-2))
          throw ShapeError(fmt::format(
              "lstsq: a of shape {} and b of shape {} do not fit: b must have as many rows as a.",
              a.shape().str(), b.shape().str()));
        const Tensor real = real_of(a);
        const Tensor p =
            pseudo_inverse(real, rcond.value_or(longest(a) * epsilon_of(real.dtype())));
        const Tensor right = cast(b, real.dtype());
        if (b.rank() == a.rank()) return matmul(p, right);
        return squeeze(matmul(p, expand_dims(right, {-1})), -1);
      },
      a, b, rcond);
}

Tensor matrix_rank(const Tensor& x, const std::optional<Tensor>& tol) {
  return op(
      &matrix_rank,
      [](const Tensor& x, const std::optional<Tensor>& tol) {
        check_matrix(x, "matrix_rank", false);
        const Tensor s = singular_values(real_of(x), false)[1];
        const Tensor least =
            tol && *tol ? *tol : max(s, -1, true) * (longest(x) * epsilon_of(s.dtype()));
        return sum(cast(greater(s, least), DType::int32), -1);
      },
      x, tol);
}

void list_decompositions(OpCatalog& catalog) {
  catalog.add("linalg.Cholesky", {"x", "upper=False"}, &cholesky);
  catalog.add("linalg.CholeskyInverse", {"x", "upper=False"}, &cholesky_inverse);
  catalog.add("linalg.Qr", {"x", "mode='reduced'"}, &qr);
  catalog.add("linalg.LuFactor", {"x"}, &lu_factor);
  catalog.add("linalg.Eigh", {"x"}, &eigh);
  catalog.add("linalg.Eig", {"x"}, &eig);
  catalog.add("linalg.SVD", {"x", "full_matrices=True", "compute_uv=True"}, &svd);
  catalog.add("linalg.Inv", {"x"}, &inv);
  catalog.add("linalg.Det", {"x"}, &det);
  catalog.add("numpy.Slogdet", {"x"}, &slogdet);
  catalog.add("math.Logdet", {"x"}, &logdet);
  catalog.add("linalg.Solve", {"a", "b"}, &solve);
  catalog.add("linalg.SolveTriangular", {"a", "b", "lower=False"}, &solve_triangular);
  catalog.add("linalg.Pinv", {"x", "rcond=None"}, &pinv);
  catalog.add("linalg.Lstsq", {"a", "b", "rcond=None"}, &lstsq);
  catalog.add("linalg.MatrixRank", {"x", "tol=None"}, &matrix_rank);
  catalog.add("linalg.Norm", {"x", "ord=None", "axis=None", "keepdims=False"}, &norm);
}

}  // namespace cornu::ops
