// Scaled dot-product attention by cuDNN's flash kernels.
#pragma once
#include <memory>
#include <span>
#include <string>

#include "attention_mask.h"
#include "context.h"
#include "cudnn_graph.h"

namespace cornu::backend::cuda::cudnn {

/// The tensors of the plans that runs give addresses for, as Graph numbers them.
struct AttentionTensors {
  int64_t q = 1, k = 2, v = 3, y = 4, logsumexp = 5, scale = 6, lowest = 7, bias = 8;
  int64_t dy = 9, dq = 10, dk = 11, dv = 12, row_sums = 13;
};

/// A plan for q (batch, tq, heads, d), k and v (batch, tk, heads, d) of float16 or bfloat16, and
/// the mask's numbers if there is one; null when no engine takes it.
std::unique_ptr<Plan> plan_attention(const Target& target, const Attention& attention, DType dtype,
                                     const Shape& q, const Shape& k, const MaskPlan* mask,
                                     size_t workspace, std::string* why = nullptr);

/// Null when cuDNN does not have it: other dtypes, say.
std::unique_ptr<Executable> attention(const Attention& attention, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs, Context& context);

}  // namespace cornu::backend::cuda::cudnn
