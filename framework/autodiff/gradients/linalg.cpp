// Derivatives of decompositions of matrices, in products and triangular systems.
#include <fmt/core.h>

#include "../../../backend/error.h"
#include "../../ops/elementwise.h"
#include "../../ops/linalg/solvers.h"
#include "../../ops/numpy/creation.h"
#include "../../ops/numpy/joining.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/numpy/matrices.h"
#include "../../ops/numpy/products.h"
#include "../../ops/operators.h"
#include "../gradients.h"

namespace cornu {
namespace {

using ops::matmul;

Tensor turned(const Tensor& x) { return ops::swapaxes(x, -1, -2); }
Tensor identity_of(int64_t n, const Tensor& like) { return ops::eye(n, {}, 0, like.dtype()); }
Tensor row(const Tensor& x) { return ops::expand_dims(x, {-2}); }
Tensor column(const Tensor& x) { return ops::expand_dims(x, {-1}); }

// Either may be empty.
Tensor total(const Tensor& x, const Tensor& y) { return !x ? y : !y ? x : x + y; }

// The first `count` along an axis.
Tensor first(const Tensor& x, int64_t count, int axis) {
  return x.shape(axis) == count ? x : ops::split(x, std::vector<int64_t>{count}, axis)[0];
}

// Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527.
Tensor of_cholesky(const Tensor& l, const Tensor& dl) {
  const Tensor p = matmul(turned(l), dl);
  // The lower triangle with half its diagonal, as l is lower triangular.
  const Tensor half = ops::tril(p, -1) + 0.5 * p * identity_of(l.shape(-1), l);
  const Tensor left = ops::solve_triangular(turned(l), half, false);
  const Tensor s = turned(ops::solve_triangular(turned(l), turned(left), false));
  return (s + turned(s)) * 0.5;
}

Tensor of_qr(const Tensor& x, const Backprop& step) {
  const Tensor &q = step.outputs[0], &r = step.outputs[1];
  const int64_t m = x.shape(-2), n = x.shape(-1), k = q.shape(-1);
  if (k != n)
    throw UnsupportedError(
        fmt::format("qr: no gradient of the decomposition of a ({}, {}) matrix into ({}, {}) and "
                    "({}, {}); only of reduced ones of matrices with no more columns than rows.",
                    m, n, m, k, k, n));
  const Tensor dq = step.gradients[0] ? step.gradients[0] : ops::zeros_like(q);
  const Tensor dr = step.gradients[1] ? step.gradients[1] : ops::zeros_like(r);
  const Tensor s = matmul(r, turned(dr)) - matmul(turned(dq), q);
  const Tensor symmetric = ops::tril(s) + turned(ops::tril(s, -1));
  // dx' = (dq + q symmetric) r^-T, as the solution of a triangular system.
  return turned(ops::solve_triangular(r, turned(dq + matmul(q, symmetric)), false));
}

Tensor of_eigh(const Backprop& step) {
  const Tensor &w = step.outputs[0], &v = step.outputs[1];
  const Tensor &dw = step.gradients[0], &dv = step.gradients[1];
  const Tensor identity = identity_of(v.shape(-1), v);
  Tensor inner = dw ? row(dw) * identity : Tensor();
  if (dv) {
    // The identity keeps the diagonal from 0 / 0. Equal eigenvalues still divide by 0: their
    // vectors are not determined, so the gradient is not finite there.
    const Tensor f = (1.0 - identity) / (row(w) - column(w) + identity);
    inner = total(inner, f * matmul(turned(v), dv));
  }
  const Tensor dx = matmul(matmul(v, inner), turned(v));
  return (dx + turned(dx)) * 0.5;
}

// Townsend, Differentiating the singular value decomposition (2016).
Tensor of_svd(const Tensor& x, const Backprop& step) {
  const Tensor& s = step.outputs[1];
  const Tensor &du = step.gradients[0], &ds = step.gradients[1], &dvt = step.gradients[2];
  const int64_t m = x.shape(-2), n = x.shape(-1), k = s.shape(-1);
  if ((du || dvt) && (step.outputs[0].shape(-1) != k || step.outputs[2].shape(-2) != k))
    throw UnsupportedError(
        "svd: no gradient of singular vectors with full_matrices=True of a matrix that is not "
        "square.");
  const Tensor u = first(step.outputs[0], k, -1), vt = first(step.outputs[2], k, -2);
  const Tensor identity = identity_of(k, s);
  // As in of_eigh, of the eigenvalues s^2 of x' x.
  const Tensor f = (1.0 - identity) / (ops::square(row(s)) - ops::square(column(s)) + identity);
  const auto skew = [&](const Tensor& t) { return f * (t - turned(t)); };
  Tensor inner = ds ? row(ds) * identity : Tensor();
  if (du) inner = total(inner, skew(matmul(turned(u), du)) * row(s));
  if (dvt) inner = total(inner, column(s) * skew(matmul(vt, turned(dvt))));
  Tensor dx = matmul(matmul(u, inner), vt);
  // The part of du outside of the span of u, which a reduced decomposition does not store.
  if (du && m > k) {
    const Tensor part = du / row(s);
    dx = dx + matmul(part - matmul(u, matmul(turned(u), part)), vt);
  }
  if (dvt && n > k) {
    const Tensor part = dvt / column(s);
    dx = dx + matmul(u, part - matmul(matmul(part, turned(vt)), vt));
  }
  return dx;
}

}  // namespace

Tensors gradient(const backend::Linalg& kernel, const Backprop& step) {
  using Op = backend::LinalgOp;
  const Tensor& a = step.inputs[0];
  // Identities and zeros are made beside the matrix.
  const DeviceScope here(a.device());
  switch (kernel.op) {
    case Op::cholesky:
      return {of_cholesky(step.outputs[0], step.gradients[0])};
    case Op::lu:
      throw UnsupportedError(
          "lu_factor: no gradient. Solutions, inverses and determinants have one: use solve, inv, "
          "det or slogdet.");
    case Op::qr:
      return {of_qr(a, step)};
    case Op::eigh:
      return {of_eigh(step)};
    case Op::svd:
      return {of_svd(a, step)};
    case Op::solve:
    case Op::solve_triangular:
      break;
  }
  const Tensor &y = step.outputs[0], &dy = step.gradients[0];
  const bool whole = kernel.op == Op::solve;
  // y = a^-1 b: db = a^-T dy and da = -db y', by the decomposition rather than by an inverse.
  const Tensor db =
      whole ? ops::solve(turned(a), dy) : ops::solve_triangular(turned(a), dy, !kernel.lower);
  Tensors result(2);
  if (step.wants(1)) result[1] = db;
  if (step.wants(0)) {
    const Tensor da = -matmul(db, turned(y));
    result[0] = whole ? da : kernel.lower ? ops::tril(da) : ops::triu(da);
  }
  return result;
}

}  // namespace cornu
