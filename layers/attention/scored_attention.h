// ScoredAttention: what Attention and AdditiveAttention do once they have scores.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Query, value and key of a call on {query, value[, key]}; the key is the value unless given.
struct AttentionInputs {
  Tensor query,  ///< (batch, t, features)
      value,     ///< (batch, s, features of the value)
      key;       ///< (batch, s, features)
};

/// Throws ShapeError unless there are two or three tensors.
AttentionInputs attention_inputs(const Nest& inputs);

/// From scores (batch, t, s): softmax, dropout (with `seeds` while training), the product with the
/// value, and zeros where the query's mask is false. The value's mask and, when the argument
/// "use_causal_mask" is true, causality hide values; with "return_attention_scores" the scores
/// after the softmax are a second result. Throws ValueError for another argument.
Nest attend_by_scores(const Tensor& scores, const AttentionInputs& inputs, const Call& call,
                      double dropout, SeedGenerator* seeds);

/// {"use_causal_mask", "return_attention_scores"} of a call. Throws ValueError for another
/// argument.
struct AttentionFlags {
  bool causal,  ///< use_causal_mask
      scores;   ///< return_attention_scores
};
AttentionFlags attention_flags(const Call& call);  ///< reads them from `extra`

/// y with zeros where the query's mask is false.
Tensor hide_masked_queries(const Tensor& y, const Tensor& query);

}  // namespace cornu::layers
