// Matrix products by cuBLASLt.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "context.h"

namespace cornu::backend::cuda {

/// A product of float16, bfloat16 (sums in float32), float32 (TF32 when `tf32()`) or float64
/// operands of one dtype, of 16-bit factors with a result of float32, of int8 factors with a result
/// of int32, or of 8-bit floats with a result of float32, which are copied where they are not as
/// eight_bit_product.h wants them. The bias is added by the library where it can, else by an
/// elementwise kernel. Of the algorithms that cuBLASLt's heuristic names, a few are run once on
/// memory of the device's and the fastest is taken, unless the environment has
/// CORNU_CUDA_MEASURE=0; an algorithm gives the same bits in each run. Null when cuBLASLt does not
/// have it or is not there.
std::unique_ptr<Executable> cublas_matmul(const Matmul& matmul, std::span<const Operand> inputs,
                                          std::span<const Operand> outputs, Context& context);

/// "13.1.0"; "" and the reason in `why` when there is none.
std::string cublas_version(std::string* why = nullptr);

}  // namespace cornu::backend::cuda
