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

/// Whether it is a tensor with values: no symbolic one, no Variable, no number and no list.
template <class T>
bool is_tensor(const T& x) {
  if constexpr (std::derived_from<T, Tensor>)
    return x && !x.is_symbolic();
  else if constexpr (std::derived_from<T, Nest>)
    return x.is_tensor() && is_tensor(x.tensor());
  else if constexpr (std::same_as<T, Value>)
    return x.template is<Tensor>() && is_tensor(x.template get<Tensor>());
  else
    return false;
}

}  // namespace cornu::ops
