// The block of encoders.
#include "transformer_encoder.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/logic.h"
#include "../../framework/ops/numpy/manipulation.h"

namespace cornu::layers {

Tensor TransformerEncoderLayer::call(const Tensor& x, const Call& call) {
  const auto given = [&](const char* name) {
    const Value* mask = call.find(name);
    return mask && !mask->is_null() ? ops::cast(mask->get<Tensor>(), DType::boolean) : Tensor();
  };
  Tensor mask = given("attention_mask");
  if (Tensor padding = given("padding_mask")) {
    padding = ops::expand_dims(padding, {1});
    mask = mask ? ops::logical_and(mask, padding) : padding;
  }
  Call inner;
  if (mask) inner.extra.emplace_back("attention_mask", mask);
  return run(x, [&](const Tensor& y) { return self_attention(y, inner); });
}

void register_transformer_encoder(Catalog& c) {
  c.add<TransformerEncoderLayer>("keras_hub>TransformerEncoder");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::TransformerEncoderLayer,
                              cornu::layers::TransformerEncoderConfig>;
