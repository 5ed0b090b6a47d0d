// Joining tensors, and splitting them.
#pragma once
#include "../integers.h"

namespace cornu::ops {

/// Joins tensors that agree on all axes but one.
Tensor concatenate(const std::vector<Tensor>& xs, int64_t axis = 0);
/// Joins equal shapes along a new axis.
Tensor stack(const std::vector<Tensor>& x, int64_t axis = 0);
/// x1 and then x2 along an axis (both flattened without one).
Tensor append(const Tensor& x1, const Tensor& x2, std::optional<int64_t> axis = {});
/// Joins along the second axis (vectors along their only one).
Tensor hstack(const std::vector<Tensor>& xs);
/// Joins along the first axis; vectors become rows.
Tensor vstack(const std::vector<Tensor>& xs);
/// Joins along the third axis; vectors (n) become (1, n, 1), matrices (m, n, 1).
Tensor dstack(const std::vector<Tensor>& xs);
/// Cuts into equal sections (one number, also in braces) or before the given indices (a list).
std::vector<Tensor> split(const Tensor& x, const Integers& indices_or_sections, int64_t axis = 0);
/// split along the second axis, vectors along their only one.
std::vector<Tensor> hsplit(const Tensor& x, const Integers& indices_or_sections);
/// split along the first axis.
std::vector<Tensor> vsplit(const Tensor& x, const Integers& indices_or_sections);
/// split along the third axis.
std::vector<Tensor> dsplit(const Tensor& x, const Integers& indices_or_sections);
/// Cuts into so many sections, of which the first ones are longer by one where the axis does not
/// divide.
std::vector<Tensor> array_split(const Tensor& x, int64_t indices_or_sections, int64_t axis = 0);

}  // namespace cornu::ops
