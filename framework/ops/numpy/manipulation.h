// Changing the shape and order of elements.
#pragma once
#include "../integers.h"
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// The elements in row-major order under another shape; one size may be -1 (inferred).
Tensor reshape(const Tensor& x, const Shape& newshape);
/// Permutes the axes; without `axes` reverses them.
Tensor transpose(const Tensor& x, const std::optional<std::vector<int64_t>>& axes = {});
Tensor swapaxes(const Tensor& x, int64_t axis1, int64_t axis2);
Tensor moveaxis(const Tensor& x, const std::vector<int64_t>& source,
                const std::vector<int64_t>& destination);
/// Inserts axes of size 1 at the given places of the result.
Tensor expand_dims(const Tensor& x, const std::vector<int64_t>& axis);
/// Removes axes of size 1: the given ones, or all.
Tensor squeeze(const Tensor& x, const Axes& axis = {});
Tensor broadcast_to(const Tensor& x, const Shape& shape);
/// Joins tensors that agree on all axes but one.
Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis = 0);
/// Joins equal shapes along a new axis.
Tensor stack(const std::vector<Tensor>& x, int64_t axis = 0);
/// The tensors along an axis, which is gone in them.
std::vector<Tensor> unstack(const Tensor& x, std::optional<int64_t> num = {}, int64_t axis = 0);
/// Cuts into equal sections (one number, also in braces) or before the given indices (a list).
std::vector<Tensor> split(const Tensor& x, const Integers& indices_or_sections, int64_t axis = 0);
/// Reverses the order along axes (all without).
Tensor flip(const Tensor& x, const Axes& axis = {});
/// Repeats the whole tensor along each axis.
Tensor tile(const Tensor& x, const Integers& repeats);
/// Repeats each element along an axis (flattened without one); a list has a number for each.
Tensor repeat(const Tensor& x, const Integers& repeats, std::optional<int64_t> axis = {});
/// Adds `pad_width` = {before, after} elements around each axis: `constant_values` (0), or in mode
/// "reflect" those on the other side of the border's element, in mode "symmetric" those on the
/// other side of the border.
Tensor pad(const Tensor& x, const std::vector<std::vector<int64_t>>& pad_width,
           const std::string& mode = "constant", std::optional<double> constant_values = {});

void list_shaping(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
