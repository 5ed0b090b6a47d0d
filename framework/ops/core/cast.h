// Casts, and operations on tensors as such.
#pragma once
#include "../../dispatch/custom_gradient.h"
#include "../../tensor/promotion.h"
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// x as another dtype: floats to integers truncate, anything to bool is x != 0. A gradient passes
/// where both are floats.
Tensor cast(const Tensor& x, DType dtype);
/// x; a number written in C++ becomes a tensor of int32, float32 or bool that no longer gives way
/// to other dtypes.
Tensor strong(const Tensor& x);
/// x as a tensor, of `dtype` if one is given.
Tensor convert_to_tensor(const Tensor& x, std::optional<DType> dtype = {});
/// x as another dtype; what that cannot hold becomes its nearest limit.
Tensor saturate_cast(const Tensor& x, DType dtype);
/// The bytes of x read as another dtype (x's own without one). The last axis shrinks or grows when
/// the sizes of the dtypes differ; ShapeError when it does not divide. No gradient passes.
Tensor view(const Tensor& x, std::optional<DType> dtype = {});
/// The number of x's elements as an int32 tensor, for graphs; x.size() is the number itself.
Tensor element_count(const Tensor& x);
/// x, with no gradient through it.
Tensor stop_gradient(const Tensor& x);
/// Where `condition` holds x, else y; broadcasts.
Tensor where(const Tensor& condition, const Tensor& x, const Tensor& y);
/// x limited to [x_min, x_max].
Tensor clip(const Tensor& x, const Tensor& x_min, const Tensor& x_max);
/// Whether all pairs of elements are within atol + rtol * |y|. For tests and checks: reads the
/// values.
bool all_close(const Tensor& x, const Tensor& y, double rtol = 1e-5, double atol = 1e-8);

void list_core(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
