// Kernels as sequences of simpler ones, for devices that have no code of their own for them.
#pragma once
#include <span>

#include "backend.h"

namespace cornu::backend {

/// Runs an Rnn, Attention or FusedSets kernel by Matmul, Fused, Reduce, Cumulative and Copy on
/// `backend`, with scratch memory from its allocator; false, and nothing done, for other kernels.
/// Memory is given back when the last kernel has been launched: the allocator must not hand it to
/// work that runs before that. All addresses that the kernels get are multiples of 64, if the
/// operands' are.
///
/// What an Rnn keeps for its backward pass is for the composed backward pass only. Attention holds
/// the scores of all pairs of queries and keys. float16 and bfloat16 are computed in float32.
bool composed(const Kernel& kernel, std::span<const Operand> inputs,
              std::span<const Operand> outputs, Backend& backend);

}  // namespace cornu::backend
