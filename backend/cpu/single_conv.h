// A convolution by itself: its results are not pooled.
#pragma once
#include <memory>

#include "kernels.h"

namespace cornu::backend::cpu {

/// Runs it on operands of any dtypes, but gives no bias's gradient.
void run_single(const Conv& kernel, Operands inputs, Operands outputs);

/// As prepare_conv in prepare_conv.h, with the bits of run_single. Also null where the bias's
/// gradient is asked for, and does not come with that of the filters.
std::unique_ptr<Executable> prepare_single(const Conv& kernel, Operands inputs, Operands outputs);

}  // namespace cornu::backend::cpu
