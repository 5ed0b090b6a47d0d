// PositionEmbedding: a learned vector for each place of a text.
#pragma once
#include "../layer_options.h"

namespace cornu::layers {

/// Options of PositionEmbedding, as in KerasHub.
struct PositionEmbeddingConfig {
  Required<int64_t> sequence_length;  ///< number of places
  /// Initial values of the vectors.
  Choice<Initializer> initializer = "glorot_uniform";
  CORNU_LAYER_OPTIONS;
};

/// x (batch, t, features) -> the vectors of the places 0 to t - 1, as often as there are samples:
/// (batch, t, features). Throws ShapeError where t is above sequence_length.
class PositionEmbeddingLayer : public LayerOf<PositionEmbeddingLayer, PositionEmbeddingConfig> {
 public:
  /// Throws ValueError for a sequence_length that is not positive.
  explicit PositionEmbeddingLayer(PositionEmbeddingConfig config);
  void build(const Shape& input) override;
  Tensor call(const Tensor& x, const Call&) override;
  /// The same for places from `start`, an int32 scalar, on.
  Tensor at(const Tensor& x, const Tensor& start) const;

  Variable position_embeddings;  ///< (sequence_length, features)
};

using PositionEmbedding = Ref<PositionEmbeddingLayer>;  ///< a shared PositionEmbeddingLayer

}  // namespace cornu::layers

namespace cornu {
extern template class LayerOf<layers::PositionEmbeddingLayer, layers::PositionEmbeddingConfig>;
}
