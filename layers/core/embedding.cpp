// Vectors for whole numbers.
#include "embedding.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

void EmbeddingLayer::build_many(const Nest&) { build_table(); }

Tensor EmbeddingLayer::call(const Tensor& indices, const Call&) {
  const Tensor y = rows(indices);
  return config.mask_zero ? y.with_mask(compute_mask(indices, {})) : y;
}

Tensor EmbeddingLayer::compute_mask(const Nest& inputs, const Tensor&) {
  return config.mask_zero ? ops::not_equal(inputs.tensor(), Tensor(0)) : Tensor();
}

std::shared_ptr<EmbeddingLayer> EmbeddingLayer::from_config(const Value::Dict& dict) {
  // input_length is an option of older files that has no effect.
  Value::Dict used;
  for (const auto& [key, value] : dict)
    if (key != "input_length") used.emplace_back(key, value);
  return LayerOf::from_config(without_unused(used, {"weights"}));
}

void register_embedding(Catalog& c) { c.add<EmbeddingLayer>("keras.layers.Embedding"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::EmbeddingLayer, cornu::layers::EmbeddingConfig>;
template class cornu::layers::TableLayer<cornu::layers::EmbeddingLayer,
                                         cornu::layers::EmbeddingConfig>;
