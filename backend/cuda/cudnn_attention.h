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
  int64_t dy = 9, dq = 10, dk = 11, dv = 12, row_sums = 13, one = 14, dq_sums = 15;
  /// Gradients for each head of the queries, where heads share keys and values.
  int64_t dk_heads = 16, dv_heads = 17;
};

/// A plan, none when no engine takes what was asked for.
struct AttentionPlan {
  std::shared_ptr<const Plan> plan;
  /// Whether dq is summed in float32 memory (batch, heads, tq, d) that runs give besides.
  bool sums_dq = false;
};

/// A plan for q (batch, tq, heads, d), k and v (batch, tk, kv_heads, d) of float16 or bfloat16, and
/// the mask's numbers if there is one; see GroupedAttention for fewer heads of keys. Backwards
/// there are two forms. One holds the gradients of all scores in 16 bits, so it takes memory
/// quadratic in the length, and gives the same bits in each run: it is taken where that fits
/// `workspace`, and always if `same_bits`. The other adds what the blocks of keys give for dq in
/// float32, in an order that may differ between runs; its memory is linear in the length.
AttentionPlan plan_attention(const Target& target, const Attention& attention, DType dtype,
                             const Shape& q, const Shape& k, const MaskPlan* mask, size_t workspace,
                             bool same_bits, std::string* why = nullptr);

/// Null when cuDNN does not have it: other dtypes, say, or in this version no shared heads.
std::unique_ptr<Executable> attention(const Attention& attention, std::span<const Operand> inputs,
                                      std::span<const Operand> outputs, Context& context);

}  // namespace cornu::backend::cuda::cudnn
