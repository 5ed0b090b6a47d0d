// Convolutions and pooling made ready for running many times: what CpuBackend::prepare makes of
// them.
#pragma once
#include <memory>
#include <string>

#include "kernels.h"

namespace cornu::backend::cpu {

/// The convolution of float32 operands of these shapes (their `data` may be null): primitives,
/// memory objects and reorders are made here; a run sets addresses, takes scratch memory from the
/// caching allocator and executes.
/// Results are those of run(Conv) bit for bit. Null for other dtypes, empty operands, and what
/// oneDNN cannot do.
std::unique_ptr<Executable> prepare_conv(const Conv& kernel, Operands inputs, Operands outputs);

/// The same for pooling of float32 or float64 operands.
std::unique_ptr<Executable> prepare_pool(const Pool& kernel, Operands inputs, Operands outputs);

/// As CpuBackend::prepare looks for them.
inline std::unique_ptr<Executable> prepare(const Conv& kernel, Operands inputs, Operands outputs) {
  return prepare_conv(kernel, inputs, outputs);
}
inline std::unique_ptr<Executable> prepare(const Pool& kernel, Operands inputs, Operands outputs) {
  return prepare_pool(kernel, inputs, outputs);
}

/// What a float32 convolution runs on: "winograd" (this one is ours), "jit:avx512_core", "sgemm",
/// ...; "" for plain loops.
std::string conv_method(const Conv& kernel, Operands inputs, Operands outputs);

}  // namespace cornu::backend::cpu
