// Picking and writing elements by position.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// NumPy's basic indexing: `key` is a list of integers, Slices, Ellipsis and Value() (a new axis),
/// as in get_item(x, Value::List{Slice{1, -1}, Ellipsis{}, 0}).
Tensor get_item(const Tensor& x, const Value& key);
/// Slices of x along `axis` (of the flattened x without one) at `indices`, which may be of any
/// shape. Negative indices count from the end; those out of range are clamped.
Tensor take(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis = {});
/// Elements of x along `axis` at `indices`, which has x's rank; the other axes broadcast. Without
/// an axis x is flattened.
Tensor take_along_axis(const Tensor& x, const Tensor& indices, std::optional<int64_t> axis = {});
/// The k largest along the last axis, in descending order, and their int32 indices.
std::vector<Tensor> top_k(const Tensor& x, int64_t k, bool sorted = true);
/// In rising order along an axis (flattened with std::nullopt), equals in the order they have.
Tensor sort(const Tensor& x, std::optional<int64_t> axis = -1);
/// The int32 indices that sort.
Tensor argsort(const Tensor& x, std::optional<int64_t> axis = -1);

void list_indexing(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
