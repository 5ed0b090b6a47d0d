// AdditiveAttention: values weighted by a learned sum of queries and keys.
#pragma once
#include "attention_layer.h"

namespace cornu::layers {

/// Options of AdditiveAttention, as in Keras.
struct AdditiveAttentionConfig {
  bool use_scale = true;             ///< a weight for each feature
  double dropout = 0.0;              ///< fraction of the scores to drop while training, in [0, 1]
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// As Attention, with the scores sum(scale * tanh(query + key)) over the features.
/// Bahdanau et al., Neural Machine Translation by Jointly Learning to Align and Translate (2015).
class AdditiveAttentionLayer : public LayerOf<AdditiveAttentionLayer, AdditiveAttentionConfig> {
 public:
  /// Adds a seed if there is dropout.
  explicit AdditiveAttentionLayer(AdditiveAttentionConfig config);
  using CallOptions = AttentionCall;  ///< of these, the call takes masks as `masks`
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

  Variable scale;  ///< (features); none without use_scale

 private:
  SeedGenerator* seeds_ = nullptr;
};

/// A shared AdditiveAttentionLayer, made from its options.
using AdditiveAttention = Ref<AdditiveAttentionLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::AdditiveAttentionLayer, layers::AdditiveAttentionConfig>;
}
