// What ops share whose result's shape or order follows from values.
#pragma once
#include "../../../backend/kernel.h"
#include "../op.h"

namespace cornu::detail {

/// 0, 1, ... below n.
Tensor count_up(int64_t n);
/// Writes or adds `updates` (m, rest...) at `indices` (m) of `count` slices of zeros.
Tensor scattered(int64_t count, const Tensor& indices, const Tensor& updates,
                 backend::ScatterOp how);
/// A number that the shape of a result follows from.
int64_t known_size(const Tensor& count, const char* name, const char* remedy);

}  // namespace cornu::detail
