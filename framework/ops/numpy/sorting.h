// Sorting, and searching what is sorted.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// In rising order along an axis (flattened with std::nullopt), equals in the order they have.
Tensor sort(const Tensor& x, std::optional<int64_t> axis = -1);
/// The int32 indices that sort.
Tensor argsort(const Tensor& x, std::optional<int64_t> axis = -1);
/// Indices that put the kth element of the sorted order in its place, smaller ones before it.
/// int32.
Tensor argpartition(const Tensor& x, int64_t kth, std::optional<int64_t> axis = -1);
/// For each of `values` the place in the sorted vector where it goes in: before its equals ("left")
/// or after them
/// ("right"). int32.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& values,
                    const std::string& side = "left");
/// The number of the bin that each x falls in: i where bins[i - 1] <= x < bins[i]. `bins` is a
/// rising vector. int32.
Tensor digitize(const Tensor& x, const Tensor& bins);

}  // namespace cornu::ops
