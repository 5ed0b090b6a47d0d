// The derivative of each kernel, written with operations, so that it can be recorded and
// differentiated.
#pragma once
#include "../../backend/kernel.h"
#include "../tensor/tensor.h"

namespace cornu {

/// A step seen from behind: its operands, the gradients of its outputs (empty where none arrived)
/// and which inputs want theirs (a bit each; those beyond the 32nd always get one).
struct Backprop {
  std::span<const Tensor> inputs;     ///< operands of the kernel
  std::span<const Tensor> outputs;    ///< its results
  std::span<const Tensor> gradients;  ///< of the outputs
  uint32_t wanted;                    ///< bit i: input i

  /// whether a rule is to compute the gradient of this input
  bool wants(int input) const { return input >= 32 || (wanted >> input & 1); }
};

/// Which operands' values a kernel's rule reads, a bit for each input and each output; of the
/// others it reads shapes and dtypes only, so a tape need not keep their memory.
struct ReadOperands {
  uint32_t inputs = ~0u;   ///< all by default
  uint32_t outputs = ~0u;  ///< all by default
};
/// What the rule of this kernel reads when it runs on these inputs.
ReadOperands operands_read(const backend::Kernel& kernel, std::span<const Tensor> inputs);

/// @{
/// Gradients of the inputs, empty where not wanted or zero.
Tensors gradient(const backend::Fused& kernel, const Backprop& step);
Tensors gradient(const backend::Reduce& kernel, const Backprop& step);
Tensors gradient(const backend::Matmul& kernel, const Backprop& step);
Tensors gradient(const backend::Conv& kernel, const Backprop& step);
Tensors gradient(const backend::Pool& kernel, const Backprop& step);
Tensors gradient(const backend::Softmax& kernel, const Backprop& step);
Tensors gradient(const backend::Copy& kernel, const Backprop& step);
Tensors gradient(const backend::Gather& kernel, const Backprop& step);
Tensors gradient(const backend::Scatter& kernel, const Backprop& step);
Tensors gradient(const backend::Sort& kernel, const Backprop& step);
Tensors gradient(const backend::Cumulative& kernel, const Backprop& step);
Tensors gradient(const backend::Random& kernel, const Backprop& step);
Tensors gradient(const backend::Normalize& kernel, const Backprop& step);
Tensors gradient(const backend::Rnn& kernel, const Backprop& step);
Tensors gradient(const backend::Attention& kernel, const Backprop& step);
Tensors gradient(const backend::Linalg& kernel, const Backprop& step);
Tensors gradient(const backend::Fft& kernel, const Backprop& step);
/// @}
/// Throws StateError: plans make these, and no tape records a plan's steps.
Tensors gradient(const backend::MultiTensorFused& kernel, const Backprop& step);

}  // namespace cornu
