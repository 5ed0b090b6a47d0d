// Diagonals and triangles of matrices.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// The elements x[..., i, i + offset, ...] of the axes `axis1` and `axis2`, as a new last axis.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// The matrix with the vector x on its diagonal number k, or that diagonal of a matrix x.
Tensor diag(const Tensor& x, int64_t k = 0);
/// diag of x's elements in a row.
Tensor diagflat(const Tensor& x, int64_t k = 0);
/// Sum of a diagonal; short integers and bools are summed as int32 (unsigned: uint32).
Tensor trace(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// x (..., rows, columns) with zeros above diagonal k.
Tensor tril(const Tensor& x, int64_t k = 0);
/// x (..., rows, columns) with zeros below diagonal k.
Tensor triu(const Tensor& x, int64_t k = 0);
/// x (n) -> (n, N): powers of x, the highest first unless `increasing`. N is n by default.
Tensor vander(const Tensor& x, std::optional<int64_t> N = {}, bool increasing = false);

}  // namespace cornu::ops
