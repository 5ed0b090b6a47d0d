// Reductions over groups of rows, and ranks and distances: what keras.ops.math has besides
// elementwise functions.
#pragma once
#include "../op.h"

namespace cornu {
class OpCatalog;
namespace ops {

/// Sum (product, largest, smallest) of the rows of data (n, ...) with the same segment id ->
/// (num_segments, ...). Without num_segments there are as many as the largest id tells, which needs
/// the ids' values: give it in graphs and compiled functions. Ids out of range count nowhere;
/// `sorted` changes no result.
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> num_segments = {}, bool sorted = false);
Tensor segment_max(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> num_segments = {}, bool sorted = false);
Tensor segment_min(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> num_segments = {}, bool sorted = false);
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                    std::optional<int64_t> num_segments = {}, bool sorted = false);

/// Whether fewer than k of a row's predictions (n, classes) exceed that of its target (n): bools
/// (n).
Tensor in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);
/// Euclidean distances between the rows of x (..., m, d) and y (..., n, d) -> (..., m, n).
Tensor cdist(const Tensor& x, const Tensor& y);

void list_segment(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
