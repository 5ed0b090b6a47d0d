// Kernels of the CPU made ready for fixed shapes: what a plan replays. Running them takes no lock,
// looks nothing up and, after the first run, allocates nothing. Convolutions and pooling:
// prepare_conv.h.
#pragma once
#include <memory>

#include "kernels.h"

namespace cornu::backend::cpu {

/// Each gives null when it has nothing better than `run`. Addresses in the operands are ignored. An
/// executable gives the bits that `run` gives. It belongs to one caller at a time.
std::unique_ptr<Executable> prepare(const Fused& kernel, Operands inputs, Operands outputs);
std::unique_ptr<Executable> prepare(const MultiTensorFused& kernel, Operands inputs,
                                    Operands outputs);
std::unique_ptr<Executable> prepare(const Reduce& kernel, Operands inputs, Operands outputs);
std::unique_ptr<Executable> prepare(const Matmul& kernel, Operands inputs, Operands outputs);
std::unique_ptr<Executable> prepare(const Copy& kernel, Operands inputs, Operands outputs);

}  // namespace cornu::backend::cpu
