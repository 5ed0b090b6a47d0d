// How much work a kernel is.
#pragma once
#include "../tensor/recorder.h"

namespace cornu {

/// Adds up operations and bytes.
inline Cost& operator+=(Cost& a, const Cost& b) {
  a.flops += b.flops;
  a.bytes += b.bytes;
  return a;
}

/// A multiply-add counts as two operations, an elementwise instruction as one; operands are read
/// once, results written once.
Cost kernel_cost(const backend::Kernel& kernel, std::span<const Tensor> inputs,
                 std::span<const TensorSpec> outputs);

}  // namespace cornu
