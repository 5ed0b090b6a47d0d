// Attention: values weighted by how well keys fit queries.
#pragma once
#include "attention_layer.h"

namespace cornu::layers {

/// Options of Attention, as in Keras.
struct AttentionConfig {
  bool use_scale = false;            ///< multiply scores by a weight
  std::string score_mode = "dot";    ///< "dot": q k^T; "concat": weight * sum(tanh(q + k))
  double dropout = 0.0;              ///< fraction of the scores to drop while training, in [0, 1]
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// attention({query, value[, key]}): query (batch, t, features), value and key (batch, s, features)
/// -> softmax(scores) value (batch, t, features of the value). The key is the value unless given.
/// The value's mask hides values; where the query's is false the output is 0: those that the
/// tensors carry, or `.masks = {of the query, of the value}`. Arguments by name (Call::extra):
/// "use_causal_mask": step t sees steps up to t; "return_attention_scores": {output, scores (batch,
/// t, s)} instead of the output. Luong et al., Effective Approaches to Attention-based Neural
/// Machine Translation (2015). Throws ValueError for an unknown score_mode or argument, ShapeError
/// unless there are two or three inputs.
class AttentionLayer : public LayerOf<AttentionLayer, AttentionConfig> {
 public:
  explicit AttentionLayer(AttentionConfig config);  ///< throws ValueError for an unknown score_mode
  using CallOptions = AttentionCall;                ///< of these, the call takes masks as `masks`
  /// Puts a key that is given by name behind the value.
  void bind(Nest& inputs, Call& call, CallForm form) const override;
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  /// The query's for the output; scores have none.
  std::vector<Tensor> compute_masks(const Nest& inputs, const std::vector<Tensor>&) override {
    return {compute_mask(inputs, {})};
  }
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"key", "use_causal_mask", "return_attention_scores"};
  }
  std::vector<std::string> positional_arguments() const override {
    return {"mask", "training", "return_attention_scores", "use_causal_mask"};
  }

  Variable scale;                ///< a scalar; none without use_scale
  Variable concat_score_weight;  ///< a scalar; only with score_mode "concat"

 private:
  SeedGenerator* seeds_ = nullptr;
};

using Attention = Ref<AttentionLayer>;  ///< a shared AttentionLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AttentionLayer, layers::AttentionConfig>;
}
