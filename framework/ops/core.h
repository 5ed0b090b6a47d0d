// Casts, and operations on tensors as such.
#pragma once
#include "../graph/tape.h"
#include "../tensor/promotion.h"
#include "op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// x as another dtype: floats to integers truncate, anything to bool is x != 0. A gradient passes where both
/// are floats.
Tensor cast(const Tensor& x, DType dtype);
/// x, with no gradient through it.
Tensor stop_gradient(const Tensor& x);
/// Where `condition` holds x, else y; broadcasts.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
/// x limited to [x_min, x_max].
Tensor clip(const Tensor& x, const Tensor& x_min, const Tensor& x_max);
/// Whether all pairs of elements are within atol + rtol * |y|. For tests and checks: reads the values.
bool all_close(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8);

void list_core(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
