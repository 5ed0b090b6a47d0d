// Diagonals, triangles, and products of vectors and tensors.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// The elements x[..., i, i + offset, ...] of the axes `axis1` and `axis2`, as a new last axis.
Tensor diagonal(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// The matrix with the vector x on its diagonal number k, or that diagonal of a matrix x.
Tensor diag(const Tensor& x, int64_t k = 0);
/// diag of x's elements in a row.
Tensor diagflat(const Tensor& x, int64_t k = 0);
/// Sum of a diagonal; short integers and bools are summed as int32 (unsigned: uint32).
Tensor trace(const Tensor& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
/// x (..., rows, columns) with zeros above (below) diagonal k.
Tensor tril(const Tensor& x, int64_t k = 0);
Tensor triu(const Tensor& x, int64_t k = 0);
/// x (n) -> (n, N): powers of x, the highest first unless `increasing`. N is n by default.
Tensor vander(const Tensor& x, std::optional<int64_t> N = {}, bool increasing = false);
/// x1 (..., k), x2 (..., k, n) or (k): the sum of products over the last axis of x1 and the last
/// but one of x2.
Tensor dot(const Tensor& x1, const Tensor& x2);
/// x1 (a..., k), x2 (b..., k) -> (a..., b...).
Tensor inner(const Tensor& x1, const Tensor& x2);
/// The products of each element of x1 with each of x2: (size of x1, size of x2).
Tensor outer(const Tensor& x1, const Tensor& x2);
/// The sum of the products of all elements.
Tensor vdot(const Tensor& x1, const Tensor& x2);
/// Sums products over axes: the last `axes` of x1 with the first of x2, or, with a list of two,
/// axes[0] of x1 with axes[1] of x2 (a number or a list each). The result has the other axes of x1,
/// then those of x2.
Tensor tensordot(const Tensor& x1, const Tensor& x2, const Value& axes = 2);
/// Each element of x1 replaced by its product with x2: axis i has the size of x1's times x2's.
Tensor kron(const Tensor& x1, const Tensor& x2);
/// Products of vectors along `axisa` of x1 and `axisb` of x2, of size 3 or 2 (the third component
/// is 0 then), written along `axisc`; of two vectors of size 2 only the third component is given.
/// `axis` stands for all three.
Tensor cross(const Tensor& x1, const Tensor& x2, int64_t axisa = -1, int64_t axisb = -1,
             int64_t axisc = -1, std::optional<int64_t> axis = {});
/// Correlation coefficients of the rows of x (variables, samples).
Tensor corrcoef(const Tensor& x);
/// x1 (n), x2 (m): sums of products of x2 with the stretches of x1. `mode` is "valid" (where both
/// overlap wholly), "same" (as many as the longer has) or "full". A float.
Tensor correlate(const Tensor& x1, const Tensor& x2, const std::string& mode = "valid");

void list_matrices(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
