// MultiHeadAttention: several attentions side by side, each on projections of its own.
#pragma once
#include "../activations/softmax.h"
#include "../regularization/dropout.h"
#include "attention_layer.h"

namespace cornu::layers {

/// Options of MultiHeadAttention, as in Keras.
struct MultiHeadAttentionConfig {
  Required<int64_t> num_heads;            ///< number of heads
  Required<int64_t> key_dim;              ///< size of queries and keys in each head
  std::optional<int64_t> value_dim = {};  ///< size of values in each head; default: key_dim
  /// Fraction of the scores to drop while training, in [0, 1].
  double dropout = 0.0;
  bool use_bias = true;                   ///< add biases in the projections
  OptionalList<Shape> output_shape = {};  ///< last axes of the output; none: the query's last axis
  /// Axes that attend; none: all but batch and features.
  OptionalList<std::vector<int64_t>> attention_axes = {};
  /// A step sees those less than this far away; none: all.
  std::optional<int64_t> sliding_window = {};
  CORNU_KERNEL_OPTIONS;
  bool use_gate = false;             ///< multiply heads by sigmoid(query projected)
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// attention({query, value[, key]}): query (batch, t..., features), value and key (batch, s...,
/// features) -> (batch, t..., output_shape). A single tensor attends to itself; the key is the
/// value unless given. For each head, with the projections q, k and v of the three:
///   output = softmax(q k^T / sqrt(key_dim)) v,  and the heads joined by one more projection.
/// Vaswani et al., Attention Is All You Need (2017).
///
/// Arguments by name (Call::extra): "value", "key"; "attention_mask" (batch[, heads], t, s), true
/// where a query may see a key; "query_mask" (batch, t), "value_mask" and "key_mask" (batch, s),
/// by default the masks that the tensors carry; "use_causal_mask": step t sees steps up to t;
/// "return_attention_scores": {output, scores (batch, heads, t, s)} instead of the output.
/// Throws ShapeError when the shapes do not fit.
class MultiHeadAttentionLayer
    : public QueryValueLayer<MultiHeadAttentionLayer, MultiHeadAttentionConfig> {
 public:
  /// Throws ValueError for numbers of heads, sizes or a window that are not positive.
  explicit MultiHeadAttentionLayer(MultiHeadAttentionConfig config);

  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  /// As LayerOf's, but passes over flash_attention, softmax_robust_masking and the shapes that
  /// earlier versions of Keras wrote.
  static std::shared_ptr<MultiHeadAttentionLayer> from_config(const Value::Dict& dict);
  /// The options, activity_regularizer being that of the projections.
  Value::Dict get_config() const override;

  EinsumDense query_dense = nullptr;   ///< (features) -> (num_heads, key_dim)
  EinsumDense key_dense = nullptr;     ///< (features) -> (num_heads, key_dim)
  EinsumDense value_dense = nullptr;   ///< (features) -> (num_heads, value_dim)
  EinsumDense gate_dense = nullptr;    ///< none without use_gate
  EinsumDense output_dense = nullptr;  ///< (num_heads, value_dim) -> output_shape

 private:
  EinsumDense make_dense(const char* name, const std::string& equation,
                         const std::string& bias_axes, const Shape& output,
                         const cornu::Activation& activation = {}) const;
  std::pair<Tensor, Tensor> attend(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& mask, bool causal, bool scores, bool drops);

  Softmax softmax_ = nullptr;
  Dropout dropout_ = nullptr;
  std::string product_equation_, combine_equation_;
};

/// A shared MultiHeadAttentionLayer, made from its options.
using MultiHeadAttention = Ref<MultiHeadAttentionLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::MultiHeadAttentionLayer, layers::MultiHeadAttentionConfig>;
}
