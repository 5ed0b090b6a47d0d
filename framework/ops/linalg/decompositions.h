// Decompositions of matrices, and what they give: inverses, solutions, determinants. All work on
// the last two axes of x (..., m, n); results are float32, or float64 for float64. Where there is
// no answer, or a NaN in x, they are NaN.
#pragma once
#include <utility>
#include <vector>

#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// The lower triangular l with l l' = x of symmetric positive definite x, or its transpose. When x
/// is not positive definite it throws ValueError; on a GPU, which is not waited for, all is NaN.
Tensor cholesky(const Tensor& x, bool upper = false);
/// The inverse of the matrix whose Cholesky factor is x.
Tensor cholesky_inverse(const Tensor& x, bool upper = false);
/// {q, r}: q of orthonormal columns, r upper triangular; "reduced" or "complete". No gradient for
/// wide or complete ones.
std::vector<Tensor> qr(const Tensor& x, const std::string& mode = "reduced");
/// {lu, pivots}: both triangles of p x = l u in one matrix, and the row that each row was exchanged
/// with. No gradient.
std::vector<Tensor> lu_factor(const Tensor& x);
/// {values, vectors} of a symmetric matrix, values ascending, vectors in columns.
std::vector<Tensor> eigh(const Tensor& x);
/// {values, vectors} of any square matrix, also of complex numbers: complex64, or complex128 for
/// float64 and complex128. Vectors are columns of length 1; the order is LAPACK's. Computed by the
/// CPU. No gradient; for symmetric matrices use eigh.
std::vector<Tensor> eig(const Tensor& x);
/// {u, s, v'} with x = u diag(s) v', s descending; without compute_uv s alone. Gradients flow
/// through s; through u and v where neither is completed to a square.
Nest svd(const Tensor& x, bool full_matrices = true, bool compute_uv = true);

Tensor inv(const Tensor& x);
Tensor det(const Tensor& x);
/// {sign, log |det x|}.
std::vector<Tensor> slogdet(const Tensor& x);
/// log |det x|.
Tensor logdet(const Tensor& x);
/// y with a y = b: a (..., n, n), b (..., n) or (..., n, k).
Tensor solve(const Tensor& a, const Tensor& b);
/// The same for a triangular a, of which the other triangle is not read.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool lower = false);
/// Moore and Penrose's inverse; singular values up to rcond times the largest count as 0.
Tensor pinv(const Tensor& x, std::optional<double> rcond = {});
/// The y of least |y| among those with least |a y - b|: a (m, n), b (m) or (m, k).
Tensor lstsq(const Tensor& a, const Tensor& b, std::optional<double> rcond = {});
/// Number of singular values above tol; int32.
Tensor matrix_rank(const Tensor& x, const std::optional<Tensor>& tol = {});

/// NumPy's norms: of all elements, of vectors along one axis, or of matrices along two. `ord` is a
/// number, "fro", "nuc" or null. Throws ValueError for an order that does not exist.
Tensor norm(const Tensor& x, const Value& ord = {},
            const std::optional<std::vector<int64_t>>& axis = {}, bool keepdims = false);

void list_decompositions(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
