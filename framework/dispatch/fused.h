// Elementwise kernels on tensors: which shape and dtype the result has.
#pragma once
#include "apply.h"

namespace cornu::detail {

/// Runs an elementwise program on operands that broadcast. The result's dtype is the promoted one,
/// or as `domain` says (see backend/opcodes.inc); `name` is for errors. Throws ShapeError when the
/// operands do not broadcast.
Tensor apply_fused(const backend::ProgramRef& program, backend::Domain domain,
                   std::span<const Tensor> inputs, const char* name);
/// The same with several outputs, all of dtype `output`.
Tensors apply_fused_many(const backend::ProgramRef& program, std::span<const Tensor> inputs,
                         DType output, const char* name);
/// x as another dtype, for what lies below ops::cast; throws ValueError for strings.
Tensor convert_dtype(const Tensor& x, DType dtype);

}  // namespace cornu::detail
