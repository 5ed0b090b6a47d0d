// Joining, splitting, turning and rolling tensors by NumPy's shorter names.
#pragma once
#include "../integers.h"
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// x1 and then x2 along an axis (both flattened without one).
Tensor append(const Tensor& x1, const Tensor& x2, std::optional<int64_t> axis = {});
/// Joins along the second axis (vectors along their only one).
Tensor hstack(const std::vector<Tensor>& xs);
/// Joins along the first axis; vectors become rows.
Tensor vstack(const std::vector<Tensor>& xs);
/// Joins along the third axis; vectors (n) become (1, n, 1), matrices (m, n, 1).
Tensor dstack(const std::vector<Tensor>& xs);
/// split along the second axis (vectors along their only one), the first, the third.
std::vector<Tensor> hsplit(const Tensor& x, const Integers& indices_or_sections);
std::vector<Tensor> vsplit(const Tensor& x, const Integers& indices_or_sections);
std::vector<Tensor> dsplit(const Tensor& x, const Integers& indices_or_sections);
/// Cuts into so many sections, of which the first ones are longer by one where the axis does not
/// divide.
std::vector<Tensor> array_split(const Tensor& x, int64_t indices_or_sections, int64_t axis = 0);
/// The elements in a row.
Tensor ravel(const Tensor& x);
/// flip along the first axis, along the second.
Tensor flipud(const Tensor& x);
Tensor fliplr(const Tensor& x);
/// Turns the plane of two axes by k quarters, from the first axis toward the second.
Tensor rot90(const Tensor& array, int64_t k = 1, const std::vector<int64_t>& axes = {0, 1});
/// Moves elements by `shift` places along axes, those that leave come in on the other side; without
/// an axis as if flattened.
Tensor roll(const Tensor& x, const Integers& shift, const std::optional<Integers>& axis = {});
/// Repeats each vector along the axes of all the others: coordinates of a grid. `indexing` "xy" has
/// the second's axis first, "ij" keeps the order.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& x, const std::string& indexing = "xy");

void list_arranging(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
