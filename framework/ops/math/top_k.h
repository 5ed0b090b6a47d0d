// The largest elements.
#pragma once
#include "../condition.h"
#include "../op.h"

namespace cornu::ops {

/// The k largest along the last axis, in descending order, and their int32 indices.
TensorTuple<2> top_k(const Tensor& x, int64_t k, bool sorted = true);
/// Whether fewer than k of a row's predictions (n, classes) exceed that of its target (n): bools
/// (n).
Condition in_top_k(const Tensor& targets, const Tensor& predictions, int64_t k);

}  // namespace cornu::ops
