// Slices at places that are tensors, scattering, and the tensors along an axis.
#pragma once
#include "../integers.h"

namespace cornu::ops {

/// The box of `shape` that begins at `start_indices` (one for each axis; a negative one counts from
/// the end). A start from which the box would reach beyond an end is moved back inside.
Tensor slice(const Tensor& inputs, const Tensor& start_indices, const Integers& shape);
/// The same for numbers in braces: `ops::slice(x, {0, 2}, {1, 3})`.
inline Tensor slice(const Tensor& inputs, std::initializer_list<int64_t> start_indices,
                    const Integers& shape) {
  return slice(inputs, Tensor(std::vector<int64_t>(start_indices)), shape);
}
/// `inputs` with the box of updates' shape at `start_indices` replaced by `updates`; starts as in
/// slice.
Tensor slice_update(const Tensor& inputs, const Tensor& start_indices, const Tensor& updates);
/// The same for numbers in braces.
inline Tensor slice_update(const Tensor& inputs, std::initializer_list<int64_t> start_indices,
                           const Tensor& updates) {
  return slice_update(inputs, Tensor(std::vector<int64_t>(start_indices)), updates);
}
/// Zeros of `shape` to which `values` (n..., rest...) are added at `indices` (n..., k), where k
/// numbers choose a place in the first k axes and rest are the other axes. Indices out of range are
/// ignored.
Tensor scatter(const Tensor& indices, const Tensor& values, const Shape& shape);
/// `inputs` with `updates` at `indices`, shaped as in scatter. `reduction` "add", "max", "min" or
/// "mul" combines them with what is there; without one they replace it, the last of several at one
/// place.
Tensor scatter_update(const Tensor& inputs, const Tensor& indices, const Tensor& updates,
                      const std::optional<std::string>& reduction = {});
/// The tensors along an axis, which is gone in them.
std::vector<Tensor> unstack(const Tensor& x, std::optional<int64_t> num = {}, int64_t axis = 0);

}  // namespace cornu::ops
