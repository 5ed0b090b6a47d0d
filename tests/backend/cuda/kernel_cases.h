// Cases of the kernels that are generated from whole texts (all but Fused, Reduce and Random).
#pragma once
#include "codegen_cases.h"

namespace cornu::backend::testing {

/// All of them, made once.
const std::vector<CodegenCase>& kernel_cases();

}  // namespace cornu::backend::testing
