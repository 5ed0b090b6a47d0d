// The CPU's implementation of each kernel of ../kernel.h, one .cpp each.
#pragma once
#include <atomic>
#include <span>

#include "../backend.h"

namespace cornu::backend::cpu {

using Operands = std::span<const Operand>;

void run(const Fused& kernel, Operands inputs, Operands outputs);
void run(const Reduce& kernel, Operands inputs, Operands outputs);
void run(const Matmul& kernel, Operands inputs, Operands outputs);
void run(const Conv& kernel, Operands inputs, Operands outputs);
void run(const Pool& kernel, Operands inputs, Operands outputs);
void run(const Softmax& kernel, Operands inputs, Operands outputs);
void run(const Copy& kernel, Operands inputs, Operands outputs);
void run(const Gather& kernel, Operands inputs, Operands outputs);
void run(const Scatter& kernel, Operands inputs, Operands outputs);
void run(const Sort& kernel, Operands inputs, Operands outputs);
void run(const Cumulative& kernel, Operands inputs, Operands outputs);
void run(const Random& kernel, Operands inputs, Operands outputs);
void run(const Normalize& kernel, Operands inputs, Operands outputs);
void run(const MultiTensorFused& kernel, Operands inputs, Operands outputs);
void run(const Linalg& kernel, Operands inputs, Operands outputs);
void run(const Fft& kernel, Operands inputs, Operands outputs);

/// The code of those of ../optional_kernels.h: null until it is used.
template <class K>
inline std::atomic<void (*)(const K&, Operands, Operands)> optional_code = nullptr;
void run(const Rnn& kernel, Operands inputs, Operands outputs);
void run(const Attention& kernel, Operands inputs, Operands outputs);

}  // namespace cornu::backend::cpu
