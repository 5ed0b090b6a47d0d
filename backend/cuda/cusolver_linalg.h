// Decompositions of matrices by cuSOLVER, triangular systems by cuBLAS.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "context.h"

namespace cornu::backend::cuda {

/// A decomposition of float32 or float64 matrices, one after the other. Where there is no answer
/// all is NaN; nobody waits for the device to find that out, but some of cuSOLVER's routines wait
/// for it themselves, so it must not be captured. Null when the libraries do not have it or are not
/// there.
std::unique_ptr<Executable> cusolver_linalg(const Linalg& kernel, std::span<const Operand> inputs,
                                            std::span<const Operand> outputs, Context& context);

/// "12.0.4"; "" and the reason in `why` when there is none.
std::string cusolver_version(std::string* why = nullptr);

}  // namespace cornu::backend::cuda
