// Products of matrices, vectors and tensors.
#pragma once
#include "../integers.h"

namespace cornu::ops {

/// x1 (..., m, k), x2 (..., k, n) -> (..., m, n); leading axes broadcast; vectors as in NumPy. Of
/// int8 the result is int32; of two 8-bit floats, which may be of different types, float32.
Tensor matmul(const Tensor& x1, const Tensor& x2);
/// x (..., k), kernel (k, n)[, bias (n)] -> (..., n): a dense layer's product in one pass.
Tensor linear(const Tensor& x, const Tensor& kernel, const Tensor& bias = {});
/// a (..., m, k) or (..., k, m), b (..., k, n) or (..., n, k): the product of matrices, each
/// transposed on request.
Tensor matmul_transposed(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b);
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
/// The same with the axes in braces: `tensordot(a, b, {1, 0})`, `tensordot(a, b, {{0, 1}, {1,
/// 2}})`.
Tensor tensordot(const Tensor& x1, const Tensor& x2, std::initializer_list<Integers> axes);
/// Each element of x1 replaced by its product with x2: axis i has the size of x1's times x2's.
Tensor kron(const Tensor& x1, const Tensor& x2);
/// Products of vectors along `axisa` of x1 and `axisb` of x2, of size 3 or 2 (the third component
/// is 0 then), written along `axisc`; of two vectors of size 2 only the third component is given.
/// `axis` stands for all three.
Tensor cross(const Tensor& x1, const Tensor& x2, int64_t axisa = -1, int64_t axisb = -1,
             int64_t axisc = -1, std::optional<int64_t> axis = {});

}  // namespace cornu::ops
