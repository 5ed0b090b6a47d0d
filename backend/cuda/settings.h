// Settings of all CUDA devices; the switch for TF32 is declared in context.h.
#pragma once
#include <cstdint>

namespace cornu::backend::cuda {

/// Changes whenever a setting does that kernels are made by.
uint64_t settings_version();

}  // namespace cornu::backend::cuda
