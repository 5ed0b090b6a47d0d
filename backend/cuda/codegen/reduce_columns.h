// Sums of the columns of a matrix, such as gradients of biases: each thread takes neighboring ones,
// which it loads together.
#pragma once
#include <optional>

#include "index_space.h"
#include "kernel_plan.h"

namespace cornu::backend::cuda {

/// How blocks share a matrix.
struct ColumnSums {
  int64_t rows, columns;
  int64_t pack;           ///< columns of a thread
  int64_t width, lanes;   ///< threads of a block side by side, and above each other
  int64_t splits, chunk;  ///< blocks that share the rows, and the rows of each
};

/// For sums, in double or two floats, of a matrix of floats as it is, where several blocks would
/// share its rows; else none. Depends on the sizes alone.
std::optional<ColumnSums> column_sums(const Reduce& kernel, const IndexSpace& space,
                                      std::span<const Operand> inputs);

/// Writes partial sums as doubles, or each as a Twofold, (splits, columns) into the operand number
/// `workspace`.
Stage column_sums_stage(const ColumnSums& sums, DType dtype, int workspace, bool twofold);

}  // namespace cornu::backend::cuda
