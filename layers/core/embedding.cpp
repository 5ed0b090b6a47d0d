// Vectors for whole numbers.
#include "embedding.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/indexing.h"

namespace cornu::layers {

EmbeddingLayer::EmbeddingLayer(EmbeddingConfig c) : LayerOf(std::move(c)) {
  check_positive("input_dim", config.input_dim);
  check_positive("output_dim", config.output_dim);
  supports_masking_ = config.mask_zero;
  // Indices given as float32 must not lose digits to a 16-bit compute dtype.
  autocast_ = false;
}

void EmbeddingLayer::build_many(const Nest&) {
  embeddings = add_weight({.name = "embeddings",
                           .shape = {*config.input_dim, *config.output_dim},
                           .initializer = config.embeddings_initializer,
                           .regularizer = config.embeddings_regularizer,
                           .constraint = config.embeddings_constraint});
}

Tensor EmbeddingLayer::call(const Tensor& indices, const Call&) {
  const bool ready = indices.dtype() == DType::int32 || indices.dtype() == DType::int64;
  const Tensor rows = ready ? indices : ops::cast(indices, DType::int32);
  const Tensor y = ops::cast(ops::take(embeddings, rows, 0), compute_dtype());
  if (config.mask_zero) y.set_mask(compute_mask(indices, {}));
  return y;
}

Tensor EmbeddingLayer::compute_mask(const Nest& inputs, const Tensor&) {
  return config.mask_zero ? ops::not_equal(inputs.tensor(), Tensor(0)) : Tensor();
}

void EmbeddingLayer::build_from_config(const Value::Dict& dict) {
  // Keras may have built it without inputs, whose shape does not matter.
  const Value* shape = detail::find(dict, "input_shape");
  const bool known = shape && !shape->is_null();
  LayerOf::build_from_config(known ? dict
                                   : Value::Dict{{"input_shape", Value::List{Value(), Value()}}});
}

std::shared_ptr<EmbeddingLayer> EmbeddingLayer::from_config(const Value::Dict& dict) {
  // input_length is an option of older files that has no effect.
  Value::Dict used;
  for (const auto& [key, value] : dict)
    if (key != "input_length") used.emplace_back(key, value);
  return LayerOf::from_config(
      without_unused(used, {"weights", "lora_rank", "lora_alpha", "quantization_config"}));
}

void register_embedding(Catalog& c) { c.add<EmbeddingLayer>("keras.layers.Embedding"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::EmbeddingLayer, cornu::layers::EmbeddingConfig>;
