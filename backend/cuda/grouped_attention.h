// Attention with fewer heads of keys and values than of queries, where no library takes it so.
#pragma once
#include <memory>
#include <span>

#include "context.h"

namespace cornu::backend::cuda {

/// Whether keys and values have another number of heads than the queries.
inline bool is_grouped(std::span<const Operand> inputs) {
  const Shape &q = *inputs[0].shape, &k = *inputs[1].shape;
  return q.rank() == 4 && k.rank() == 4 && q[2] != k[2];
}

/// Repeats keys and values in memory for each head, runs the attention on them, and sums their
/// gradients over the heads of each group.
std::unique_ptr<Executable> repeated_attention(const Attention& attention,
                                               std::span<const Operand> inputs,
                                               std::span<const Operand> outputs, Context& context);

}  // namespace cornu::backend::cuda
