// Sums and extremes of the rows that belong to one number.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Sum of the rows of data (n, ...) with the same segment id -> (num_segments, ...). Without
/// num_segments there are as many as the largest id tells, which needs the ids' values: give it in
/// graphs and compiled functions. Ids out of range count nowhere; `sorted` changes no result. The
/// sum of no rows is 0. Throws ShapeError unless segment_ids is a vector (n), ValueError for ids
/// that are floats.
Tensor segment_sum(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> num_segments = {}, bool sorted = false);
/// The largest of such rows; of none, the least number of the dtype (-infinity). Otherwise as
/// segment_sum.
Tensor segment_max(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> num_segments = {}, bool sorted = false);
/// The smallest of such rows; of none, the greatest number of the dtype (infinity). Otherwise as
/// segment_sum.
Tensor segment_min(const Tensor& data, const Tensor& segment_ids,
                   std::optional<int64_t> num_segments = {}, bool sorted = false);
/// The product of such rows; of none, 1. Otherwise as segment_sum.
Tensor segment_prod(const Tensor& data, const Tensor& segment_ids,
                    std::optional<int64_t> num_segments = {}, bool sorted = false);

}  // namespace cornu::ops
