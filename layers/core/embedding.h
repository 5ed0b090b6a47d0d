// Embedding: a learned vector for each of a set of whole numbers.
#pragma once
#include "../layer_common.h"

namespace cornu::layers {

struct EmbeddingConfig {
  Required<int64_t> input_dim;   ///< how many numbers there are: indices are in [0, input_dim)
  Required<int64_t> output_dim;  ///< size of the vectors
  Choice<Initializer> embeddings_initializer = "uniform";
  Choice<Regularizer> embeddings_regularizer = {};
  Choice<Constraint> embeddings_constraint = {};
  /// Makes index 0 mean padding: the output's mask is false there.
  bool mask_zero = false;
  Choice<Regularizer> activity_regularizer = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// indices (...) -> (..., output_dim). Indices that are not int32 or int64 are converted to int32;
/// those out of range take the nearest row.
class EmbeddingLayer : public LayerOf<EmbeddingLayer, EmbeddingConfig> {
 public:
  explicit EmbeddingLayer(EmbeddingConfig config);
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& indices, const Call&) override;
  Tensor compute_mask(const Nest& inputs, const Tensor& mask) override;
  void build_from_config(const Value::Dict& config) override;
  static std::shared_ptr<EmbeddingLayer> from_config(const Value::Dict& dict);

  Variable embeddings;  ///< (input_dim, output_dim)
};

using Embedding = Ref<EmbeddingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::EmbeddingLayer, layers::EmbeddingConfig>;
}
