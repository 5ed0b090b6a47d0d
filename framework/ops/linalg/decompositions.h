// Factors of matrices, for the last two axes of x (..., m, n). Results are float32, or float64 for
// float64; where there is no answer, or a NaN in x, they are NaN.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// The lower triangular l with l l' = x of symmetric positive definite x, or its transpose. When x
/// is not positive definite it throws ValueError; on a GPU, which is not waited for, all is NaN.
Tensor cholesky(const Tensor& x, bool upper = false);
/// The inverse of the matrix whose Cholesky factor is x.
Tensor cholesky_inverse(const Tensor& x, bool upper = false);
/// {q, r}: q of orthonormal columns, r upper triangular; "reduced" or "complete". No gradient for
/// wide or complete ones.
TensorTuple<2> qr(const Tensor& x, const std::string& mode = "reduced");
/// {lu, pivots}: both triangles of p x = l u in one matrix, and the row that each row was exchanged
/// with. No gradient.
TensorTuple<2> lu_factor(const Tensor& x);
/// {values, vectors} of a symmetric matrix, values ascending, vectors in columns.
TensorTuple<2> eigh(const Tensor& x);
/// {u, s, v'} with x = u diag(s) v', s descending; without compute_uv s alone. Gradients flow
/// through s; through u and v where neither is completed to a square.
Parts<Nest, 3> svd(const Tensor& x, bool full_matrices = true, bool compute_uv = true);
/// {values, vectors} of any square matrix, also of complex numbers: complex64, or complex128 for
/// float64 and complex128. Vectors are columns of length 1; the order is LAPACK's. Computed by the
/// CPU. No gradient; for symmetric matrices use eigh.
TensorTuple<2> eig(const Tensor& x);

}  // namespace cornu::ops
