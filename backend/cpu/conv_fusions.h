// Convolutions with more in one kernel: results that are pooled, and the gradient of the bias
// beside that of the filters.
#pragma once
#include <memory>

#include "kernels.h"

namespace cornu::backend::cpu {

inline bool gives_bias_gradient(const Conv& kernel) {
  return kernel.bias && kernel.pass == ConvPass::backward_weights;
}

/// Runs a kernel of one of the two kinds on operands of any dtypes.
void run_fused(const Conv& kernel, Operands inputs, Operands outputs);

/// A convolution whose results are pooled, made ready: a few images at a time, so that what lies
/// between stays in the cache. Null for dtypes other than float32, and empty operands.
std::unique_ptr<Executable> prepare_pooled(const Conv& kernel, Operands inputs, Operands outputs);

}  // namespace cornu::backend::cpu
