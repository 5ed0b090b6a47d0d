// The block of decoders, with and without what it has computed before.
#include "transformer_decoder.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/core/slices.h"
#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/logic.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

Tensor TransformerDecoderLayer::call(const Tensor& x, const Call& call) {
  Call inner{.extra = {{"use_causal_mask", true}}};
  if (const Value* padding = call.find("decoder_padding_mask"); padding && !padding->is_null())
    inner.extra.emplace_back(
        "attention_mask", ops::expand_dims(ops::cast(padding->get<Tensor>(), DType::boolean), {1}));
  return run(x, [&](const Tensor& y) { return self_attention(y, inner); });
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
  return run(x, [&](const Tensor& y) { return attend(y, cache, start); });
}

void register_transformer_decoder(Catalog& c) {
  c.add<TransformerDecoderLayer>("keras_hub>TransformerDecoder");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::TransformerDecoderLayer,
                              cornu::layers::TransformerDecoderConfig>;
