// The product of one pair of matrices on all threads, for kernels that need one.
#pragma once
#include "small_matmul.h"

namespace cornu::backend::cpu {

/// c = a x b [+ bias], cut into blocks by the sizes alone. Throws MemoryError.
void matrix_product(const MatrixProduct<float>& product);

}  // namespace cornu::backend::cpu
