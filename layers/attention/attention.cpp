// Attention of one head, without projections.
#include "attention.h"

#include <fmt/core.h>

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "scored_attention.h"

namespace cornu::layers {

AttentionLayer::AttentionLayer(AttentionConfig c) : LayerOf(std::move(c)) {
  if (config.score_mode != "dot" && config.score_mode != "concat")
    throw ValueError(fmt::format("option 'score_mode' must be 'dot' or 'concat', found '{}'.",
                                 config.score_mode));
  supports_masking_ = true;
  if (config.dropout > 0) seeds_ = &add_seed_generator(config.seed);
}

void AttentionLayer::bind(Nest& inputs, Call& call, CallForm) const {
  if (call.find("key")) inputs = take_query_value_key(inputs, call);
}

void AttentionLayer::build_many(const Nest& inputs) {
  attention_inputs(inputs);
  if (config.use_scale) scale = add_weight({.name = "scale", .shape = {}, .initializer = "ones"});
  if (config.score_mode == "concat")
    concat_score_weight =
        add_weight({.name = "concat_score_weight", .shape = {}, .initializer = "ones"});
}

Nest AttentionLayer::call_many(const Nest& given, const Call& call) {
  const AttentionInputs inputs = attention_inputs(given);
  const auto& [q, v, k] = inputs;
  if (config.score_mode == "concat") {
    Tensor sums = ops::expand_dims(q, {-2}) + ops::expand_dims(k, {-3});
    if (scale) sums = sums * scale;
    return attend_by_scores(concat_score_weight * ops::sum(ops::tanh(sums), -1), inputs, call,
                            config.dropout, seeds_);
  }
  // One kernel where no score is asked for or changed.
  const AttentionFlags flags = attention_flags(call);
  const bool drops = seeds_ && call.is_training();
  if (q.rank() == 3 && k.rank() == 3 && v.rank() == 3 && !v.mask() && !flags.scores && !drops) {
    auto one_head = [](const Tensor& x) { return ops::expand_dims(x, {2}); };
    const Tensor y =
        ops::dot_product_attention(one_head(scale ? q * scale : q), one_head(k), one_head(v),
                                   {.scale = 1.0, .is_causal = flags.causal});
    return hide_masked_queries(ops::squeeze(y, 2), q);
  }
  Tensor scores = ops::matmul_transposed(q, k, false, true);
  if (scale) scores = scores * scale;
  return attend_by_scores(scores, inputs, call, config.dropout, seeds_);
}

Tensor AttentionLayer::compute_mask(const Nest& inputs, const Tensor&) {
  return inputs.flatten().at(0).mask();
}

void register_attention(Catalog& c) { c.add<AttentionLayer>("keras.layers.Attention"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::AttentionLayer, cornu::layers::AttentionConfig>;
