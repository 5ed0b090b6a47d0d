// Kernels with operands that together have every instruction, dtype and pattern of broadcasting.
#pragma once
#include <cornu/backend/cuda/codegen/codegen.h>

#include <string>
#include <vector>

#include "../array.h"

namespace cornu::backend::testing {

struct CodegenCase {
  std::string name;
  Kernel kernel;
  std::vector<Array> inputs, outputs;
  cuda::PlanOptions options;
  double tolerance = 0;  ///< relative
  double slack = 0;      ///< absolute
  /// Output k lies over input overwrites[k], where that is not negative.
  std::vector<int> overwrites;

  cuda::KernelPlan plan();
};

/// All of them, made once.
const std::vector<CodegenCase>& codegen_cases();

}  // namespace cornu::backend::testing
