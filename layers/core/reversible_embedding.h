// ReversibleEmbedding: an embedding that also projects vectors back onto the numbers.
#pragma once
#include "table_layer.h"

namespace cornu::layers {

struct ReversibleEmbeddingConfig {
  Required<int64_t> input_dim;   ///< how many numbers there are: indices are in [0, input_dim)
  Required<int64_t> output_dim;  ///< size of the vectors
  bool tie_weights = true;       ///< the projection uses the embeddings, else a matrix of its own
  Choice<Initializer> embeddings_initializer = "uniform";
  Choice<Regularizer> embeddings_regularizer = {};
  Choice<Constraint> embeddings_constraint = {};
  /// Makes index 0 mean padding: the output's mask is false there.
  bool mask_zero = false;
  std::optional<DType> reverse_dtype = {};    ///< in which the projection is computed
  std::optional<double> logit_soft_cap = {};  ///< c: the projection z becomes c tanh(z / c)
  std::optional<int64_t> lora_rank = {};      ///< see TableLayer::enable_lora
  std::optional<double> lora_alpha = {};      ///< when it is built with a lora_rank: that instead
  /// What a quantized dtype does; see Layer::quantize.
  Choice<QuantizationConfig> quantization_config = {};
  Choice<Regularizer> activity_regularizer = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// indices (batch, ...) -> (batch, ..., output_dim); with the argument "reverse" = true x (...,
/// output_dim) -> (..., input_dim), the products with all vectors. Press and Wolf,
/// https://arxiv.org/abs/1608.05859.
class ReversibleEmbeddingLayer
    : public TableLayer<ReversibleEmbeddingLayer, ReversibleEmbeddingConfig> {
 public:
  using TableLayer::TableLayer;
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& x, const Call& call) override;
  std::optional<std::vector<std::string>> argument_names() const override {
    return std::vector<std::string>{"reverse"};
  }
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }
  static std::shared_ptr<ReversibleEmbeddingLayer> from_config(const Value::Dict& dict);

  Variable reverse_embeddings;  ///< (output_dim, input_dim); none with tie_weights

 protected:
  void quantize_more(const Choice<QuantizationConfig>& config) override;
  std::vector<Variable> more_variables() const override;

 private:
  Tensor project(Tensor x) const;
  Tensor project_quantized(const Tensor& x) const;
  void build_quantized_reverse(const std::string& mode, const Choice<QuantizationConfig>& config);

  Choice<Quantizer> inputs_quantizer_;
  std::unique_ptr<QuantizedWeight> quantized_reverse_;
};

using ReversibleEmbedding = Ref<ReversibleEmbeddingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ReversibleEmbeddingLayer, layers::ReversibleEmbeddingConfig>;
extern template class layers::TableLayer<layers::ReversibleEmbeddingLayer,
                                         layers::ReversibleEmbeddingConfig>;
}  // namespace cornu
