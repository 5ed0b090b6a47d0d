// Products of matrices.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// a (..., m, k), b (..., k, n) -> (..., m, n); leading axes broadcast; vectors as in NumPy.
Tensor matmul(const Tensor& a, const Tensor& b);
/// x (..., k), kernel (k, n)[, bias (n)] -> (..., n): a dense layer's product in one pass.
Tensor linear(const Tensor& x, const Tensor& kernel, const Tensor& bias = {});
/// a (..., m, k) or (..., k, m), b (..., k, n) or (..., n, k): the product of matrices, each transposed on request.
Tensor matmul_transposed(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b);

void list_linalg(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
