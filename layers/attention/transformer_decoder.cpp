// The block of decoders, with and without what it has computed before.
#include "transformer_decoder.h"

#include <fmt/core.h>

#include <cmath>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/logic.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

TransformerDecoderLayer::TransformerDecoderLayer(TransformerDecoderConfig c)
    : LayerOf(std::move(c)) {
  check_positive("intermediate_dim", config.intermediate_dim);
  check_positive("num_heads", config.num_heads);
  supports_masking_ = true;
}

void TransformerDecoderLayer::build(const Shape& input) {
  check_rank(input, 3, "(batch, steps, features)");
  const int64_t features = input.back(), heads = config.num_heads;
  if (features % heads != 0)
    throw ValueError(fmt::format(
        "option 'num_heads' must divide the {} features of an input of shape {}, found {}.",
        features, input.str(), heads));
  auto dense = [&](int64_t units, const cornu::Activation& activation) {
    return Dense({.units = units,
                  .activation = activation,
                  .kernel_initializer = copy_of(config.kernel_initializer),
                  .bias_initializer = copy_of(config.bias_initializer),
                  .dtype = dtype_policy()});
  };
  auto norm = [&] {
    return LayerNormalization({.epsilon = config.layer_norm_epsilon, .dtype = dtype_policy()});
  };
  auto dropout = [&] { return Dropout({.rate = config.dropout, .dtype = dtype_policy()}); };
  self_attention =
      track("_self_attention_layer",
            MultiHeadAttention({.num_heads = heads,
                                .key_dim = features / heads,
                                .dropout = config.dropout,
                                .kernel_initializer = copy_of(config.kernel_initializer),
                                .bias_initializer = copy_of(config.bias_initializer),
                                .dtype = dtype_policy()}));
  self_attention_norm = track("_self_attention_layer_norm", norm());
  self_attention_dropout_ = track("_self_attention_dropout", dropout());
  feedforward_intermediate_dense =
      track("_feedforward_intermediate_dense", dense(config.intermediate_dim, config.activation));
  feedforward_output_dense = track("_feedforward_output_dense", dense(features, {}));
  feedforward_norm = track("_feedforward_layer_norm", norm());
  feedforward_dropout_ = track("_feedforward_dropout", dropout());

  const Tensor x = Tensor::abstract(input, compute_dtype());
  self_attention->ensure_built(Nest({x, x}));
  self_attention_norm->ensure_built(x);
  feedforward_intermediate_dense->ensure_built(x);
  Shape inner = input;
  inner[inner.rank() - 1] = config.intermediate_dim;
  feedforward_output_dense->ensure_built(Tensor::abstract(inner, compute_dtype()));
  feedforward_norm->ensure_built(x);
}

Tensor TransformerDecoderLayer::add_part(const Tensor& x, const LayerNormalization& norm,
                                         const Dropout& dropout,
                                         const std::function<Tensor(const Tensor&)>& part) const {
  if (config.normalize_first) return x + dropout(part(norm(x)));
  return norm(x + dropout(part(x)));
}

Tensor TransformerDecoderLayer::feed_forward(const Tensor& x) const {
  return add_part(x, feedforward_norm, feedforward_dropout_, [&](const Tensor& x) {
    return feedforward_output_dense(feedforward_intermediate_dense(x));
  });
}

Tensor TransformerDecoderLayer::call(const Tensor& x, const Call& call) {
  Call inner{.extra = {{"use_causal_mask", true}}};
  if (const Value* padding = call.find("decoder_padding_mask"); padding && !padding->is_null())
    inner.extra.emplace_back(
        "attention_mask", ops::expand_dims(ops::cast(padding->get<Tensor>(), DType::boolean), {1}));
  return feed_forward(add_part(x, self_attention_norm, self_attention_dropout_,
                               [&](const Tensor& x) { return self_attention(x, inner); }));
}

Tensor TransformerDecoderLayer::attend(const Tensor& x, Cache& cache, const Tensor& start) const {
  const Tensor zero(0);
  const Tensor place = ops::stack({zero, start, zero, zero});
  cache.key = ops::slice_update(cache.key, place, self_attention->key_dense(x));
  cache.value = ops::slice_update(cache.value, place, self_attention->value_dense(x));
  const Tensor last_seen = ops::expand_dims(ops::arange(x.shape()[1], DType::int32) + start, {1});
  const Tensor mask = ops::less_equal(ops::arange(cache.key.shape()[1], DType::int32), last_seen);
  return self_attention->output_dense(
      ops::dot_product_attention(self_attention->query_dense(x), cache.key, cache.value,
                                 ops::AttentionOptions{.mask = ops::expand_dims(mask, {0, 1})}));
}

Tensor TransformerDecoderLayer::call_with_cache(const Tensor& x, Cache& cache,
                                                const Tensor& start) {
  return feed_forward(add_part(x, self_attention_norm, self_attention_dropout_,
                               [&](const Tensor& x) { return attend(x, cache, start); }));
}

void register_transformer_decoder(Catalog& c) {
  c.add<TransformerDecoderLayer>("keras_hub>TransformerDecoder");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::TransformerDecoderLayer,
                              cornu::layers::TransformerDecoderConfig>;
