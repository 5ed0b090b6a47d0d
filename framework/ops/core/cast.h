// Casts, tensors from values, and what tensors are like.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// x as another dtype: floats to integers truncate, anything to bool is x != 0. A gradient passes
/// where both are floats.
Tensor cast(const Tensor& x, DTypeName dtype);
/// x as a tensor, of `dtype` if one is given.
Tensor convert_to_tensor(const Tensor& x, OptionalDType dtype = {});
/// x as another dtype, float32 by default; what that cannot hold becomes its nearest limit.
Tensor saturate_cast(const Tensor& x, OptionalDType dtype = {});
/// The same values, with no gradient through them.
Tensor stop_gradient(const Tensor& variable);

/// x.shape(), with unknown sizes as Shape::unknown.
Shape shape(const Tensor& x);
/// x.dtype().
DType dtype(const Tensor& x);

}  // namespace cornu::ops
