// Attention by sums of queries and keys.
#include "additive_attention.h"

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "scored_attention.h"

namespace cornu::layers {

AdditiveAttentionLayer::AdditiveAttentionLayer(AdditiveAttentionConfig c) : LayerOf(std::move(c)) {
  supports_masking_ = true;
  if (config.dropout > 0) seeds_ = &add_seed_generator(config.seed);
}

void AdditiveAttentionLayer::bind(Nest& inputs, Call& call, CallForm) const {
  if (call.find("key")) inputs = take_query_value_key(inputs, call);
}

void AdditiveAttentionLayer::build_many(const Nest& inputs) {
  const Shape query = attention_inputs(inputs).query.shape();
  if (config.use_scale)
    scale = add_weight({.name = "scale", .shape = {query.back()}, .initializer = "glorot_uniform"});
}

Nest AdditiveAttentionLayer::call_many(const Nest& given, const Call& call) {
  const AttentionInputs inputs = attention_inputs(given);
  const Tensor q = ops::expand_dims(inputs.query, {-2}), k = ops::expand_dims(inputs.key, {-3});
  const Tensor fit = ops::tanh(q + k);
  return attend_by_scores(ops::sum(scale ? fit * scale : fit, -1), inputs, call, config.dropout,
                          seeds_);
}

Tensor AdditiveAttentionLayer::compute_mask(const Nest& inputs, const Tensor&) {
  return inputs.flatten().at(0).mask();
}

void register_additive_attention(Catalog& c) {
  c.add<AdditiveAttentionLayer>("keras.layers.AdditiveAttention");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AdditiveAttentionLayer,
                              cornu::layers::AdditiveAttentionConfig>;
