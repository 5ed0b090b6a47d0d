// Embedding: a learned vector for each of a set of whole numbers.
#pragma once
#include "table_layer.h"

namespace cornu::layers {

struct EmbeddingConfig {
  Required<int64_t> input_dim;   ///< how many numbers there are: indices are in [0, input_dim)
  Required<int64_t> output_dim;  ///< size of the vectors
  Choice<Initializer> embeddings_initializer = "uniform";
  Choice<Regularizer> embeddings_regularizer = {};
  Choice<Constraint> embeddings_constraint = {};
  /// Makes index 0 mean padding: the output's mask is false there.
  bool mask_zero = false;
  std::optional<int64_t> lora_rank = {};  ///< see TableLayer::enable_lora
  std::optional<double> lora_alpha = {};  ///< when it is built with a lora_rank: that instead
  /// What a quantized dtype does; see Layer::quantize.
  Choice<QuantizationConfig> quantization_config = {};
  Choice<Regularizer> activity_regularizer = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// indices (...) -> (..., output_dim). Indices that are not int32 or int64 are converted to int32;
/// those out of range take the nearest row.
class EmbeddingLayer : public TableLayer<EmbeddingLayer, EmbeddingConfig> {
 public:
  using TableLayer::TableLayer;
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& indices, const Call&) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  static std::shared_ptr<EmbeddingLayer> from_config(const Value::Dict& dict);
};

using Embedding = Ref<EmbeddingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EmbeddingLayer, layers::EmbeddingConfig>;
extern template class layers::TableLayer<layers::EmbeddingLayer, layers::EmbeddingConfig>;
}  // namespace cornu
