// Which kernels take string tensors, and how.
#pragma once
#include "apply.h"

namespace cornu {

/// Whether an operand or a result is of strings.
inline bool any_strings(std::span<const Tensor> inputs, std::span<const TensorSpec> outputs) {
  bool any = false;
  for (const Tensor& t : inputs) any |= t.dtype() == DType::string;
  for (const TensorSpec& t : outputs) any |= t.dtype == DType::string;
  return any;
}

/// Throws ValueError ("exp: does not take strings") when an input is of strings and the program is
/// neither a comparison with equal or not_equal, nor a selection or a copy.
void check_strings(const backend::ProgramRef& program, std::span<const Tensor> inputs,
                   const char* name);

/// Runs a kernel that moves or compares elements on string tensors, whose tables are merged. Throws
/// ValueError for other kernels.
Tensors apply_to_strings(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                         std::span<const TensorSpec> outputs);

}  // namespace cornu
