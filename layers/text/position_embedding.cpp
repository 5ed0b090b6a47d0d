// Learned vectors of places.
#include "position_embedding.h"

#include <fmt/core.h>

#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

PositionEmbeddingLayer::PositionEmbeddingLayer(PositionEmbeddingConfig c) : LayerOf(std::move(c)) {
  check_positive("sequence_length", config.sequence_length);
  supports_masking_ = true;
}

void PositionEmbeddingLayer::build(const Shape& input) {
  check_rank(input, 3, "(batch, steps, features)");
  position_embeddings = add_weight({.name = "embeddings",
                                    .shape = {*config.sequence_length, input.back()},
                                    .initializer = config.initializer});
}

Tensor PositionEmbeddingLayer::call(const Tensor& x, const Call&) { return at(x, Tensor(0)); }

Tensor PositionEmbeddingLayer::at(const Tensor& x, const Tensor& start) const {
  const int64_t steps = x.shape()[1];
  // Stand-ins have a number for sizes that are not known yet.
  if (x.is_eager() && steps > config.sequence_length)
    throw ShapeError(
        fmt::format("there are vectors for {} places (sequence_length), found {} in "
                    "an input of shape {}.",
                    *config.sequence_length, steps, x.shape().str()));
  const Tensor places = ops::arange(steps, DType::int32) + start;
  return ops::zeros_like(x) + ops::take(Tensor(position_embeddings), places, 0);
}

void register_position_embedding(Catalog& c) {
  c.add<PositionEmbeddingLayer>("keras_hub>PositionEmbedding");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::PositionEmbeddingLayer,
                              cornu::layers::PositionEmbeddingConfig>;
