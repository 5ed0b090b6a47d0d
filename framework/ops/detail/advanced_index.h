// Indexing by tensors, as NumPy has it.
#pragma once
#include "../op.h"

namespace cornu::detail {

/// Whether an index is a tensor or a list, which stands for one.
bool is_tensor_index(const Value& key);
/// x[keys] where some keys are tensors: integers, which choose along an axis (together where there
/// are several, whose shapes broadcast), or bools, which keep the places where they hold. The
/// chosen elements stand where the first of these indices stands, or in front if others are between
/// them. Indices out of range become the nearest.
Tensor advanced_index(const Tensor& x, const Value::List& keys);

}  // namespace cornu::detail
