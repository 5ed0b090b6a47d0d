// Llama's block, with and without what it has computed before.
#include "llama_transformer_decoder.h"

#include <fmt/core.h>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/logic.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

LlamaTransformerDecoderLayer::LlamaTransformerDecoderLayer(LlamaTransformerDecoderConfig c)
    : LayerOf(std::move(c)),
      rotary_embedding_({.max_wavelength = config.rope_max_wavelength,
                         .scaling_factor = config.rope_scaling_factor,
                         .frequency_adjustment_factor = config.rope_frequency_adjustment_factor,
                         .low_freq_factor = config.rope_low_freq_factor,
                         .high_freq_factor = config.rope_high_freq_factor,
                         .pretraining_sequence_length = config.rope_pretraining_sequence_length}) {
  check_positive("intermediate_dim", config.intermediate_dim);
  check_positive("num_query_heads", config.num_query_heads);
  check_positive("num_key_value_heads", config.num_key_value_heads);
  if (config.head_dim) check_positive("head_dim", *config.head_dim);
  if (config.sliding_window) check_positive("sliding_window", *config.sliding_window);
  check_fraction("dropout", config.dropout);
  supports_masking_ = true;
}

void LlamaTransformerDecoderLayer::build(const Shape& input) {
  check_rank(input, 3, "(batch, steps, features)");
  const int64_t features = input.back(), heads = config.num_query_heads;
  if (!config.head_dim && features % heads != 0)
    throw ValueError(fmt::format(
        "option 'num_query_heads' must divide the {} features of an input of shape {}, found {}; "
        "or give head_dim.",
        features, input.str(), heads));
  const int64_t head_dim = config.head_dim.value_or(features / heads);
  if (head_dim % 2 != 0)
    throw ValueError(fmt::format(
        "the features of a head are turned in pairs; expected an even head_dim, found {}, for {} "
        "features and num_query_heads = {}.",
        head_dim, features, heads));
  auto dense = [&](int64_t units, const cornu::Activation& activation = {}) {
    return Dense({.units = units,
                  .activation = activation,
                  .use_bias = false,
                  .kernel_initializer = copy_of(config.kernel_initializer),
                  .dtype = dtype_policy()});
  };
  auto norm = [&] {
    return RMSNormalization({.epsilon = config.layer_norm_epsilon, .dtype = dtype_policy()});
  };
  auto dropout = [&] { return Dropout({.rate = config.dropout, .dtype = dtype_policy()}); };
  self_attention =
      track("_self_attention_layer",
            GroupQueryAttention({.head_dim = head_dim,
                                 .num_query_heads = heads,
                                 .num_key_value_heads = *config.num_key_value_heads,
                                 .use_bias = false,
                                 .kernel_initializer = copy_of(config.kernel_initializer),
                                 .dtype = dtype_policy()}));
  self_attention_norm = track("_self_attention_layernorm", norm());
  attention_dropout_ = track("_attention_dropout", dropout());
  self_attention_dropout_ = track("_self_attention_dropout", dropout());
  feedforward_intermediate_dense =
      track("_feedforward_intermediate_dense", dense(config.intermediate_dim));
  feedforward_gate_dense =
      track("_feedforward_gate_dense", dense(config.intermediate_dim, config.activation));
  feedforward_output_dense = track("_feedforward_output_dense", dense(features));
  feedforward_norm = track("_feedforward_layernorm", norm());

  const Tensor x = Tensor::abstract(input, compute_dtype());
  self_attention->ensure_built(Nest({x, x}));
  self_attention_norm->ensure_built(x);
  feedforward_intermediate_dense->ensure_built(x);
  feedforward_gate_dense->ensure_built(x);
  Shape inner = input;
  inner[inner.rank() - 1] = config.intermediate_dim;
  feedforward_output_dense->ensure_built(Tensor::abstract(inner, compute_dtype()));
  feedforward_norm->ensure_built(x);
}

Tensor LlamaTransformerDecoderLayer::attend(const Tensor& x, const Tensor& padding, Cache* cache,
                                            const Tensor& start) const {
  const Tensor query = rotary_embedding_->at(self_attention->query_dense(x), start);
  Tensor key = rotary_embedding_->at(self_attention->key_dense(x), start);
  Tensor value = self_attention->value_dense(x);
  if (cache) {
    const Tensor zero(0);
    const Tensor place = ops::stack({zero, start, zero, zero});
    key = cache->key = ops::slice_update(cache->key, place, key);
    value = cache->value = ops::slice_update(cache->value, place, value);
  }
  const Tensor steps = ops::expand_dims(ops::arange(x.shape()[1], DType::int32) + start, {1});
  const Tensor seen = ops::arange(key.shape()[1], DType::int32);
  Tensor mask = ops::less_equal(seen, steps);
  if (config.sliding_window)
    mask = ops::logical_and(mask, ops::less(steps - seen, Tensor(*config.sliding_window)));
  mask = ops::expand_dims(mask, {0, 1});
  if (padding)
    mask = ops::logical_and(mask, ops::expand_dims(ops::cast(padding, DType::boolean), {1, 2}));
  const Tensor heads =
      ops::dot_product_attention(query, key, value, ops::AttentionOptions{.mask = mask});
  return self_attention->output_dense(attention_dropout_(heads));
}

Tensor LlamaTransformerDecoderLayer::feed_forward(const Tensor& x) const {
  const Tensor y = feedforward_norm(x);
  return x +
         feedforward_output_dense(feedforward_intermediate_dense(y) * feedforward_gate_dense(y));
}

Tensor LlamaTransformerDecoderLayer::call(const Tensor& x, const Call& call) {
  Tensor padding;
  if (const Value* given = call.find("decoder_padding_mask"); given && !given->is_null())
    padding = given->get<Tensor>();
  const Tensor attended = attend(self_attention_norm(x), padding, nullptr, Tensor(0));
  return feed_forward(x + self_attention_dropout_(attended));
}

LlamaTransformerDecoderLayer::Cache LlamaTransformerDecoderLayer::make_cache(int64_t batch,
                                                                             int64_t length) const {
  if (!self_attention) throw StateError("make_cache: the layer is not built; call it once before.");
  const auto& options = self_attention->config;
  const Tensor zeros =
      ops::zeros({batch, length, *options.num_key_value_heads, *options.head_dim}, compute_dtype());
  return {zeros, zeros};
}

Tensor LlamaTransformerDecoderLayer::call_with_cache(const Tensor& x, Cache& cache,
                                                     const Tensor& start) {
  return feed_forward(x + attend(self_attention_norm(x), {}, &cache, start));
}

void register_llama_transformer_decoder(Catalog& c) {
  c.add<LlamaTransformerDecoderLayer>("keras_hub>LlamaTransformerDecoder");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::LlamaTransformerDecoderLayer,
                              cornu::layers::LlamaTransformerDecoderConfig>;
