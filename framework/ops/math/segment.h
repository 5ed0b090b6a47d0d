// Sums and extremes of the rows that belong to one number.
#pragma once
#include "../op.h"

namespace cornu::ops {

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

}  // namespace cornu::ops
