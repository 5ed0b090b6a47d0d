// Kernels that run in the vendor's libraries, which are opened at run time: cuBLASLt, cuDNN,
// cuFFT, and cuSOLVER with cuBLAS.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "context.h"

namespace cornu::backend::cuda {

/// `kernel` made ready in a library, or null when no library has it, or none is installed: then a
/// generated kernel or a composition does it. Operands' `data` are not looked at. The executable
/// launches on `context.stream()`, takes scratch memory from `context.workspace()` in each run, and
/// allocates nothing in `run` (decompositions do). `tf32()` is looked at here, not in runs. It may
/// be slow: algorithms may be measured. Throws only for faults of the device, not for what a
/// library cannot do.
std::unique_ptr<Executable> library_executable(const Kernel& kernel,
                                               std::span<const Operand> inputs,
                                               std::span<const Operand> outputs, Context& context);

/// See RnnReserve.
size_t library_rnn_reserve(const Rnn& rnn, DType dtype, const Shape& x, const Shape& kernel,
                           Context& context);

/// The libraries that were found, "cuBLASLt 13.0.0, cuDNN 9.12.0", or why one was not.
std::string library_versions();

}  // namespace cornu::backend::cuda
