// Vectors for whole numbers, and back.
#include "reversible_embedding.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/indexing.h"
#include "../../framework/ops/linalg.h"
#include "../../framework/ops/shaping.h"

namespace cornu::layers {

ReversibleEmbeddingLayer::ReversibleEmbeddingLayer(ReversibleEmbeddingConfig c)
    : LayerOf(std::move(c)) {
  check_positive("input_dim", config.input_dim);
  check_positive("output_dim", config.output_dim);
  supports_masking_ = config.mask_zero;
  // Indices given as float32 must not lose digits to a 16-bit compute dtype.
  autocast_ = false;
}

void ReversibleEmbeddingLayer::build_many(const Nest&) {
  embeddings = add_weight({.name = "embeddings",
                           .shape = {*config.input_dim, *config.output_dim},
                           .initializer = config.embeddings_initializer,
                           .regularizer = config.embeddings_regularizer,
                           .constraint = config.embeddings_constraint});
  if (!config.tie_weights)
    reverse_embeddings = add_weight({.name = "reverse_embeddings",
                                     .shape = {*config.output_dim, *config.input_dim},
                                     .initializer = config.embeddings_initializer});
}

Tensor ReversibleEmbeddingLayer::call(const Tensor& x, const Call& call) {
  const Value* reverse = call.find("reverse");
  if (reverse && !reverse->is_null() && detail::from_value<bool>(*reverse)) return project(x);
  const bool ready = x.dtype() == DType::int32 || x.dtype() == DType::int64;
  const Tensor rows = ready ? x : ops::cast(x, DType::int32);
  const Tensor y = ops::cast(ops::take(embeddings, rows, 0), compute_dtype());
  if (config.mask_zero) y.set_mask(ops::not_equal(x, Tensor(0)));
  return y;
}

Tensor ReversibleEmbeddingLayer::project(Tensor x) const {
  check_axis(x.shape(), -1, config.output_dim);
  Tensor kernel = config.tie_weights ? ops::transpose(embeddings) : Tensor(reverse_embeddings);
  if (config.reverse_dtype) {
    x = ops::cast(x, *config.reverse_dtype);
    kernel = ops::cast(kernel, *config.reverse_dtype);
  }
  const Tensor logits = ops::matmul(x, kernel);
  if (!config.logit_soft_cap) return logits;
  return fused([](Expr z, Expr cap) { return expr::tanh(z / cap) * cap; }, logits,
               Tensor(*config.logit_soft_cap));
}

void ReversibleEmbeddingLayer::build_from_config(const Value::Dict& dict) {
  // Keras may have built it without inputs, whose shape does not matter.
  const Value* shape = detail::find(dict, "input_shape");
  const bool known = shape && !shape->is_null();
  LayerOf::build_from_config(known ? dict
                                   : Value::Dict{{"input_shape", Value::List{Value(), Value()}}});
}

std::shared_ptr<ReversibleEmbeddingLayer> ReversibleEmbeddingLayer::from_config(
    const Value::Dict& dict) {
  return LayerOf::from_config(
      without_unused(dict, {"weights", "lora_rank", "lora_alpha", "quantization_config"}));
}

void register_reversible_embedding(Catalog& c) {
  c.add<ReversibleEmbeddingLayer>("keras.layers.ReversibleEmbedding");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ReversibleEmbeddingLayer,
                              cornu::layers::ReversibleEmbeddingConfig>;
