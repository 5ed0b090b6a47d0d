// Choosing elements: by index, by condition.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// NumPy's basic indexing: `key` is a list of integers, Slices, Ellipsis and Value() (a new axis),
/// as in get_item(x, Value::List{Slice{1, -1}, Ellipsis{}, 0}).
Tensor get_item(const Tensor& x, const Value& key);
/// Slices of x along `axis` (of the flattened x without one) at `indices`, which may be of any
/// shape. Negative indices count from the end; those out of range are clamped.
Tensor take(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis = {});
/// Elements of x along `axis` at `indices`, which has x's rank; the other axes broadcast. Without
/// an axis x is flattened.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis = {});
/// Where `condition` holds x1, else x2; broadcasts.
Tensor where(const Tensor& condition, const Tensor& x1, const Tensor& x2);
/// The indices of the elements that are not 0, as nonzero.
std::vector<Tensor> where(const Tensor& condition);
/// Element by element the choice whose condition is the first to hold, else the
/// default.
Tensor select(const std::vector<Tensor>& condlist, const std::vector<Tensor>& choicelist,
              const Tensor& default_ = 0);
/// The indices of the elements that are not 0, a vector (int32) for each axis. Their number is read
/// from the values: UnsupportedError in a graph.
std::vector<Tensor> nonzero(const Tensor& x);
/// Indices into a flattened tensor as indices into one of `shape`, a tensor for each axis.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);

}  // namespace cornu::ops
