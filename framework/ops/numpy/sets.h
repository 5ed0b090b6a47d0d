// Finding and counting elements.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// For each of `values` the place in the sorted vector where it goes in: before its equals ("left")
/// or after them
/// ("right"). int32.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values,
                    const std::string& side = "left");
/// The number of the bin that each x falls in: i where bins[i - 1] <= x < bins[i]. `bins` is a
/// rising vector. int32.
Tensor digitize(const Tensor& x, const Tensor& bins);
/// Whether each element of x1 is in x2 (is not, with `invert`).
Tensor isin(const Tensor& x1, const Tensor& x2, bool assume_unique = false, bool invert = false);
/// How often each number 0, 1, ... occurs in x (n) or in the rows of x (rows, n), or the sum of its
/// weights. As many numbers as the largest in x needs, and at least `minlength`; that is read from
/// the values, so x must have some (UnsupportedError in a graph).
Tensor bincount(const Tensor& x, const std::optional<Tensor>& weights = {}, int64_t minlength = 0,
                bool sparse = false);
/// The different elements of x, or slices along `axis`, in rising order; then, on request, the
/// index of the first occurrence of each (int32), for each element of x the index of its equal
/// (int32), and how often each occurs (int32). Without `size` the number of results is read from
/// the values: x must have some (UnsupportedError in a graph). With it the results are cut or
/// filled up to `size`: with fill_value (0), index 1 and count 0.
std::vector<Tensor> unique(const Tensor& x, bool sorted = true, bool return_index = false,
                           bool return_inverse = false, bool return_counts = false,
                           std::optional<int64_t> axis = {}, std::optional<int64_t> size = {},
                           std::optional<double> fill_value = {});
/// The indices of the elements that are not 0, a vector (int32) for each axis. Their number is read
/// from the values: UnsupportedError in a graph.
std::vector<Tensor> nonzero(const Tensor& x);
/// Indices into a flattened tensor as indices into one of `shape`, a tensor for each axis.
std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape);
/// Indices that put the kth element of the sorted order in its place, smaller ones before it.
/// int32.
Tensor argpartition(const Tensor& x, int64_t kth, std::optional<int64_t> axis = -1);

void list_sets(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
