// T5TransformerLayer: T5's block, of its encoder or its decoder.
#pragma once
#include "../core/dense.h"
#include "../normalization/rms_normalization.h"
#include "../regularization/dropout.h"
#include "attention_layer.h"

namespace cornu::layers {

/// Options of T5MultiHeadAttention, as in KerasHub.
struct T5MultiHeadAttentionConfig {
  Required<bool> is_decoder;                 ///< distances count backward alone
  Required<int64_t> key_value_dim;           ///< size of queries, keys and values in each head
  Required<int64_t> num_heads;               ///< number of heads
  double dropout = 0.0;                      ///< fraction of the weights to drop while training
  bool use_relative_attention_bias = false;  ///< have the numbers for distances
  CORNU_LAYER_OPTIONS;
};

/// Attention without biases and without a scale, that adds a number to each product of a query and
/// a key, by their distance. Built for x (batch, t, features); T5TransformerLayer calls `attend`.
class T5MultiHeadAttentionLayer
    : public LayerOf<T5MultiHeadAttentionLayer, T5MultiHeadAttentionConfig> {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit T5MultiHeadAttentionLayer(T5MultiHeadAttentionConfig config);
  void build(const Shape& input) override;
  /// As attend of x on itself, without a mask.
  Tensor call(const Tensor& x, const Call&) override;

  /// The numbers (1, num_heads, t, s) for distances of t queries and s keys. Throws StateError
  /// without use_relative_attention_bias.
  Tensor bias_of(int64_t t, int64_t s) const;
  /// What x (batch, t, features) sees of `seen` (batch, s, features) where `mask`, bools that
  /// broadcast to (batch, 1, t, s), is true; `bias` and `mask` may be empty.
  Tensor attend(const Tensor& x, const Tensor& seen, const Tensor& bias, const Tensor& mask) const;
  /// Which of the 32 numbers a distance has: near ones their own, far ones one for several. `both`:
  /// 16 for each direction, else all for what is behind.
  static int64_t bucket(int64_t distance, bool both);

  Dense query_projector = nullptr;   ///< made by build
  Dense key_projector = nullptr;     ///< likewise
  Dense value_projector = nullptr;   ///< likewise
  Dense output_projector = nullptr;  ///< likewise
  Variable relative_attention_bias;  ///< (32, num_heads)

 private:
  Dropout dropout_ = nullptr;
};

using T5MultiHeadAttention =
    Ref<T5MultiHeadAttentionLayer>;  ///< a shared T5MultiHeadAttentionLayer

/// Options of T5TransformerLayer, as in KerasHub.
struct T5TransformerLayerConfig {
  Required<bool> is_decoder;                 ///< see none behind, and what the encoder gave
  Required<int64_t> intermediate_dim;        ///< units in the small network
  Required<int64_t> key_value_dim;           ///< size of queries, keys and values in each head
  Required<int64_t> num_heads;               ///< heads of the attention
  double dropout = 0.0;                      ///< fraction to drop while training, in [0, 1]
  cornu::Activation activation = "relu";     ///< in the small network
  double layer_norm_epsilon = 1e-6;          ///< added to the mean squares
  bool use_gated_activation = false;         ///< multiply by a second projection
  bool use_relative_attention_bias = false;  ///< make the numbers for distances: the first block
  CORNU_LAYER_OPTIONS;
};

/// x (batch, t, features) -> {the same shape, numbers for distances (1, num_heads, t, t)}:
/// attention to the text, in a decoder then to "encoder_hidden_states" (batch, s, features), then a
/// small network; each is given what RMSNormalization makes of x, and added to x. Arguments by
/// name: "padding_mask" (batch, t) and "encoder_padding_mask" (batch, s), false where a step is
/// padding that none may see, and "position_bias", the numbers that the first block gave; without
/// them a block that does not make them adds none. Raffel et al., https://arxiv.org/abs/1910.10683.
/// Throws ValueError where a decoder has no encoder_hidden_states.
class T5TransformerLayerLayer : public LayerOf<T5TransformerLayerLayer, T5TransformerLayerConfig> {
 public:
  /// Throws ValueError for sizes that are not positive.
  explicit T5TransformerLayerLayer(T5TransformerLayerConfig config);
  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override;

  T5MultiHeadAttention self_attention = nullptr;   ///< made by build
  T5MultiHeadAttention cross_attention = nullptr;  ///< likewise; a decoder's
  Dense input_projector = nullptr;                 ///< likewise
  Dense gate_projector = nullptr;                  ///< likewise; with use_gated_activation
  Dense output_projector = nullptr;                ///< likewise

 private:
  RMSNormalization self_attention_norm_ = nullptr, cross_attention_norm_ = nullptr, norm_ = nullptr;
  Dropout dropout_ = nullptr;
};

using T5TransformerLayer = Ref<T5TransformerLayerLayer>;  ///< a shared T5TransformerLayerLayer

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::T5MultiHeadAttentionLayer,
                              layers::T5MultiHeadAttentionConfig>;
extern template class LayerOf<layers::T5TransformerLayerLayer, layers::T5TransformerLayerConfig>;
}  // namespace cornu
