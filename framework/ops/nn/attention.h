// Attention: means of values, weighted by how well keys fit queries.
#pragma once
#include "../op.h"

namespace cornu {
namespace ops {

/// Settings of dot_product_attention.
struct AttentionOptions {
  std::optional<Tensor> bias = {};   ///< added to the logits, broadcasts to (batch, heads, t, s)
  std::optional<Tensor> mask = {};   ///< where false a key is left out; broadcasts likewise
  std::optional<double> scale = {};  ///< of the logits; by default 1 / sqrt(depth)
  bool is_causal = false;            ///< step t sees the keys up to step t
  /// Whether to go without the matrix of all scores, in blocks that fit the cache, where one kernel
  /// can; results differ by rounding alone. None: as config::is_flash_attention_enabled says.
  std::optional<bool> flash_attention = {};
  /// Logits become cap * tanh(logits / cap).
  std::optional<double> attn_logits_soft_cap = {};
};

/// softmax(query key^T scale + bias) value, for each head: query (batch, t, heads, depth), key
/// (batch, s, heads, depth), value (batch, s, heads, value_depth) -> (batch, t, heads,
/// value_depth).
/// Key and value may have fewer heads, each then shared by as many neighboring heads of the query.
/// Logits are computed in float32 or wider. A query without any key gets the mean of all values.
/// One Attention kernel, unless values have another depth than keys, there is a soft cap, or flash
/// attention is turned off.
/// Throws ShapeError when the shapes do not fit.
/// Vaswani et al., Attention Is All You Need (2017).
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const AttentionOptions& options);
/// The same with the settings as arguments, in Keras's order.
Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const std::optional<Tensor>& bias = {},
                             const std::optional<Tensor>& mask = {},
                             std::optional<double> scale = {}, bool is_causal = false,
                             std::optional<bool> flash_attention = {},
                             std::optional<double> attn_logits_soft_cap = {});
/// Bools (t, s): whether step t comes no earlier than step s.
Tensor causal_mask(int64_t t, int64_t s);

}  // namespace ops

namespace detail {

/// The logits (batch, heads, t, s), in float32 or wider, and the result of the Attention kernel,
/// composed of other operations, for what the kernel does not do itself.
struct ComposedAttention {
  Tensor logits, y;
};
ComposedAttention compose_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& mask, double scale, bool causal,
                                    const std::optional<double>& soft_cap = {});

}  // namespace detail
}  // namespace cornu
