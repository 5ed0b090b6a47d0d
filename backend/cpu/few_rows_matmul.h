// Products of a few rows with a large matrix, as when a language model writes one token on.
#pragma once
#include "small_matmul.h"

namespace cornu::backend::cpu {

/// Rows of a up to which few_rows_matmul is the faster one.
inline constexpr int64_t most_few_rows = 8;

/// The product by all threads, where b is read once, in the order in which it lies in memory: such
/// products last as long as that takes, and oneDNN's would copy b first. Sums have an order that
/// the sizes decide, so results are the same bits for any number of threads.
void few_rows_matmul(const MatrixProduct<float>& product);

}  // namespace cornu::backend::cpu
