// Class numbers, encoded.
#include "category_encoding.h"

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "encoding.h"

namespace cornu::layers {

CategoryEncodingLayer::CategoryEncodingLayer(CategoryEncodingConfig c) : LayerOf(std::move(c)) {
  if (config.output_mode == "binary") config.output_mode = "multi_hot";
  check_output_mode(config.output_mode, {"one_hot", "multi_hot", "count"}, config.sparse);
  check_positive("num_tokens", *config.num_tokens);
  autocast_ = false;
}

CategoryEncodingCall::operator Call() const {
  Call call{.training = training, .mask = mask, .extra = extra};
  if (count_weights) call.extra.emplace_back("count_weights", count_weights);
  return call;
}

Tensor CategoryEncodingLayer::call(const Tensor& x, const Call& call) {
  Tensor weights;
  if (const Value* given = call.find("count_weights"); given && !given->is_null()) {
    if (config.output_mode != "count")
      throw ValueError("count_weights only count with output_mode \"count\", not \"" +
                       config.output_mode + "\".");
    weights = ops::cast(detail::from_value<Tensor>(*given), compute_dtype());
  }
  return encode_categories(x, config.output_mode, *config.num_tokens, variable_dtype(), weights);
}

void register_category_encoding(Catalog& c) {
  c.add<CategoryEncodingLayer>("keras.layers.CategoryEncoding");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::CategoryEncodingLayer,
                              cornu::layers::CategoryEncodingConfig>;
