// Scaled dot-product attention by cuDNN's flash kernels.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "context.h"
#include "cudnn_graph.h"

namespace cornu::backend::cuda::cudnn {

/// The tensors of the plans that runs give addresses for, as Graph numbers them.
struct AttentionTensors {
  int64_t q = 1, k = 2, v = 3, y = 4, logsumexp = 5, scale = 6, lowest = 7;
  int64_t dy = 8, dq = 9, dk = 10, dv = 11, row_sums = 12;
};

/// A plan for q (batch, tq, heads, d), k and v (batch, tk, heads, d) of float16 or bfloat16; null
/// when no engine takes it.
std::unique_ptr<Plan> plan_attention(const Target& target, const Attention& attention, DType dtype,
                                     const Shape& q, const Shape& k, size_t workspace,
                                     std::string* why = nullptr);

/// Null when cuDNN does not have it: other dtypes, and masks. A row that may attend nowhere has a
/// gradient that cuDNN's kernels cannot give.
std::unique_ptr<Executable> attention(const Attention& attention, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs, Context& context);

}  // namespace cornu::backend::cuda::cudnn
