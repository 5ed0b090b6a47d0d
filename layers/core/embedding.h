// Embedding: a learned vector for each of a set of whole numbers.
#pragma once
#include "table_layer.h"

namespace cornu::layers {

/// Options of Embedding, as in Keras.
struct EmbeddingConfig {
  Required<int64_t> input_dim;   ///< number of vectors; indices are in [0, input_dim)
  Required<int64_t> output_dim;  ///< size of the vectors
  /// Initial values of the vectors.
  Choice<Initializer> embeddings_initializer = "uniform";
  Choice<Regularizer> embeddings_regularizer = {};  ///< penalty on the vectors, added to the losses
  Choice<Constraint> embeddings_constraint = {};    ///< applied to the vectors after each update
  /// Makes index 0 mean padding: the output's mask is false there.
  bool mask_zero = false;
  std::optional<int64_t> lora_rank = {};  ///< rank of a trained low-rank update; none: no update
  /// Of no effect when building, as in Keras: alpha is lora_rank.
  std::optional<double> lora_alpha = {};
  /// How to quantize, for a quantized dtype; see Layer::quantize.
  Choice<QuantizationConfig> quantization_config = {};
  Choice<Regularizer> activity_regularizer = {};  ///< penalty on the output, added to the losses
  CORNU_LAYER_OPTIONS;
};

/// indices (...) -> (..., output_dim). Indices that are not int32 or int64 are converted to int32.
/// Throws ValueError for an index that is not in [0, input_dim); on a GPU, where looking would mean
/// to wait, it takes the nearest row.
class EmbeddingLayer : public TableLayer<EmbeddingLayer, EmbeddingConfig> {
 public:
  using TableLayer::TableLayer;  ///< from the options; see TableLayer
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& indices, const Call&) override;
  bool acts_per_row() const override { return true; }
  Tensor compute_mask(const Nest& inputs, const Tensor& mask = {}) override;
  /// As LayerOf's, but passes over input_length, which has no effect; throws UnsupportedError where
  /// `weights` has a value.
  static std::shared_ptr<EmbeddingLayer> from_config(const Value::Dict& dict);
};

using Embedding = Ref<EmbeddingLayer>;  ///< a shared EmbeddingLayer, made from its options

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EmbeddingLayer, layers::EmbeddingConfig>;
extern template class layers::TableLayer<layers::EmbeddingLayer, layers::EmbeddingConfig>;
}  // namespace cornu
