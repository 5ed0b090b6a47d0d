// GroupQueryAttention: multi-head attention whose keys and values have fewer heads than the
// queries.
#pragma once
#include "../activations/softmax.h"
#include "../regularization/dropout.h"
#include "attention_layer.h"

namespace cornu::layers {

/// Options of GroupQueryAttention, as in Keras.
struct GroupQueryAttentionConfig {
  Required<int64_t> head_dim;         ///< size of queries, keys and values in each head
  Required<int64_t> num_query_heads;  ///< a multiple of num_key_value_heads
  /// Heads of keys and values, each for as many neighboring query heads.
  Required<int64_t> num_key_value_heads;
  double dropout = 0.0;  ///< fraction of the scores to drop while training, in [0, 1]
  bool use_bias = true;  ///< add biases in the projections
  /// A step sees those less than this far away; none: all.
  std::optional<int64_t> sliding_window = {};
  CORNU_KERNEL_OPTIONS;
  bool use_gate = false;             ///< multiply heads by sigmoid(query projected)
  std::optional<int64_t> seed = {};  ///< seed of the random draws; none: one is chosen
  CORNU_LAYER_OPTIONS;
};

/// attention({query, value[, key]}): query (batch, t, features), value and key (batch, s, features)
/// -> (batch, t, features of the query). Arguments by name and masks are those of
/// MultiHeadAttention, and so are the errors. Ainslie et al., GQA: Training Generalized Multi-Query
/// Transformer Models (2023). Throws ValueError unless num_query_heads is a multiple of
/// num_key_value_heads.
class GroupQueryAttentionLayer
    : public QueryValueLayer<GroupQueryAttentionLayer, GroupQueryAttentionConfig> {
 public:
  /// Throws ValueError for sizes that are not positive, or when the heads do not divide.
  explicit GroupQueryAttentionLayer(GroupQueryAttentionConfig config);

  void build_many(const Nest& inputs) override;
  Nest call_many(const Nest& inputs, const Call& call) override;
  /// As in Keras, whose name of the class differs from that of its group in files.
  std::string base_name() const override { return "grouped_query_attention"; }
  /// As LayerOf's, but passes over flash_attention, which changes no result.
  static std::shared_ptr<GroupQueryAttentionLayer> from_config(const Value::Dict& dict);

  EinsumDense query_dense = nullptr;   ///< (features) -> (num_query_heads, head_dim)
  EinsumDense key_dense = nullptr;     ///< (features) -> (num_key_value_heads, head_dim)
  EinsumDense value_dense = nullptr;   ///< (features) -> (num_key_value_heads, head_dim)
  EinsumDense gate_dense = nullptr;    ///< none without use_gate
  EinsumDense output_dense = nullptr;  ///< (num_query_heads, head_dim) -> (features)

 private:
  EinsumDense make_dense(const char* name, const char* equation, const char* bias_axes,
                         const Shape& output, const cornu::Activation& activation = {}) const;
  std::pair<Tensor, Tensor> attend(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& mask, bool causal, bool scores, bool training);

  Softmax softmax_ = nullptr;
  Dropout dropout_ = nullptr;
};

/// A shared GroupQueryAttentionLayer, made from its options.
using GroupQueryAttention = Ref<GroupQueryAttentionLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::GroupQueryAttentionLayer, layers::GroupQueryAttentionConfig>;
}
