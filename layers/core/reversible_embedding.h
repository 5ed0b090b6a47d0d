// ReversibleEmbedding: an embedding that also projects vectors back onto the numbers.
#pragma once
#include "../layer_common.h"

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
  Choice<Regularizer> activity_regularizer = {};
  std::string name = "";
  bool trainable = true;
  std::optional<DTypePolicy> dtype = {};
};

/// indices (batch, ...) -> (batch, ..., output_dim); with the argument "reverse" = true x (...,
/// output_dim) -> (..., input_dim), the products with all vectors. Press and Wolf,
/// https://arxiv.org/abs/1608.05859.
class ReversibleEmbeddingLayer
    : public LayerOf<ReversibleEmbeddingLayer, ReversibleEmbeddingConfig> {
 public:
  explicit ReversibleEmbeddingLayer(ReversibleEmbeddingConfig config);
  void build_many(const Nest& inputs) override;
  Tensor call(const Tensor& x, const Call& call) override;
  Tensor compute_mask(const Nest&, const Tensor&) override { return {}; }
  void build_from_config(const Value::Dict& config) override;
  static std::shared_ptr<ReversibleEmbeddingLayer> from_config(const Value::Dict& dict);

  Variable embeddings;          ///< (input_dim, output_dim)
  Variable reverse_embeddings;  ///< (output_dim, input_dim); none with tie_weights

 private:
  Tensor project(Tensor x) const;
};

using ReversibleEmbedding = Ref<ReversibleEmbeddingLayer>;

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::ReversibleEmbeddingLayer, layers::ReversibleEmbeddingConfig>;
}
