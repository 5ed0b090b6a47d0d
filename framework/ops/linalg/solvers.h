// Inverses, determinants, and systems of equations of matrices (..., m, n). Results are float32, or
// float64 for float64; where there is no answer, or a NaN in x, they are NaN.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// The inverse of square matrices; infinite or NaN where there is none.
Tensor inv(const Tensor& x);
/// The determinant of square matrices.
Tensor det(const Tensor& x);
/// {sign, log |det x|}.
TensorTuple<2> slogdet(const Tensor& x);
/// log |det x|.
Tensor logdet(const Tensor& x);
/// y with a y = b: a (..., n, n), b (..., n) or (..., n, k); a b of shape (n) is one for all a.
Tensor solve(const Tensor& a, const Tensor& b);
/// The same for a triangular a, of which the other triangle is not read.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower = false);
/// Moore and Penrose's inverse; singular values up to rcond times the largest count as 0.
Tensor pinv(const Tensor& x, std::optional<double> rcond = {});
/// The y of least |y| among those with least |a y - b|: a (m, n), b (m) or (m, k).
Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = {});
/// Number of singular values above tol; int32.
Tensor matrix_rank(const Tensor& x, const std::optional<Tensor>& tol = {});

}  // namespace cornu::ops
