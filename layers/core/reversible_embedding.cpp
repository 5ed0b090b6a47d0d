// Vectors for whole numbers, and back.
#include "reversible_embedding.h"

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

void ReversibleEmbeddingLayer::build_many(const Nest&) {
  build_table();
  const std::string mode = own_dtype_policy().quantization_mode();
  if (!mode.empty())
    build_quantized_reverse(mode, config.quantization_config);
  else if (!config.tie_weights)
    reverse_embeddings = add_weight({.name = "reverse_embeddings",
                                     .shape = {*config.output_dim, *config.input_dim},
                                     .initializer = config.embeddings_initializer});
}

ReversibleEmbeddingCall::operator Call() const {
  Call call{.training = training, .mask = mask, .extra = extra};
  if (reverse) call.extra.emplace_back("reverse", true);
  return call;
}

Tensor ReversibleEmbeddingLayer::call(const Tensor& x, const Call& call) {
  const Value* reverse = call.find("reverse");
  if (reverse && !reverse->is_null() && detail::from_value<bool>(*reverse)) return project(x);
  const Tensor y = rows(x);
  return config.mask_zero ? y.with_mask(ops::not_equal(x, Tensor(0))) : y;
}

Tensor ReversibleEmbeddingLayer::project(Tensor x) const {
  check_axis(x.shape(), -1, config.output_dim);
  Tensor logits;
  if (quantized()) {
    logits = project_quantized(x);
  } else {
    Tensor kernel = config.tie_weights ? table() : Tensor(reverse_embeddings);
    if (config.reverse_dtype) {
      x = ops::cast(x, *config.reverse_dtype);
      kernel = ops::cast(kernel, *config.reverse_dtype);
    }
    // A transposed table of a language model would take a third of its memory again.
    logits = ops::matmul_transposed(x, kernel, false, config.tie_weights);
  }
  if (!config.logit_soft_cap) return logits;
  return fused([](Expr z, Expr cap) { return expr::tanh(z / cap) * cap; }, logits,
               Tensor(*config.logit_soft_cap));
}

// The inputs' gradients pass through their scale alone, as in Keras.
Tensor ReversibleEmbeddingLayer::project_quantized(const Tensor& given) const {
  const DType wide = size_of(compute_dtype()) < 4 ? DType::float32 : compute_dtype();
  Tensor x = ops::cast(given, wide);
  if (inputs_quantizer_) {
    const auto [integers, scale] = (*inputs_quantizer_)(x);
    x = fused([](Expr n, Expr scale) { return n / scale; }, ops::cast(integers, wide), scale);
  }
  const Tensor logits = config.tie_weights
                            ? ops::matmul_transposed(x, quantized()->dequantized(wide), false, true)
                            : ops::matmul(x, quantized_reverse_->dequantized(wide));
  return ops::cast(logits, compute_dtype());
}

void ReversibleEmbeddingLayer::build_quantized_reverse(const std::string& mode,
                                                       const Choice<QuantizationConfig>& given) {
  inputs_quantizer_ = activation_quantizer(given, quantizers::AbsMaxQuantizer({.axis = {{-1}}}));
  if (config.tie_weights) return;
  const Shape shape = {*config.output_dim, *config.input_dim};
  const WeightForm form = {.name = "reverse_embeddings",
                           .shape = shape,
                           .summed = {0},
                           .scale_shape = {*config.input_dim},
                           .matrix = shape,
                           .packed_side = 0,
                           .zero_dtype = variable_dtype()};
  quantized_reverse_ = std::make_unique<QuantizedWeight>(
      *this, form, mode, block_size_of(given, own_dtype_policy()), quantized());
  reverse_embeddings = quantized_reverse_->values;
}

void ReversibleEmbeddingLayer::quantize_more(const Choice<QuantizationConfig>& given) {
  const Variable before = reverse_embeddings;
  try {
    build_quantized_reverse(given->mode(), given);
    if (config.tie_weights) return;
    quantized_reverse_->assign(before.value(), given->weight_quantizer());
  } catch (...) {
    // Whoever quantizes the table takes the weights that were added out of the layer.
    quantized_reverse_.reset();
    reverse_embeddings = before;
    throw;
  }
  remove_weight(before);
}

std::vector<Variable> ReversibleEmbeddingLayer::more_variables() const {
  if (quantized_reverse_) return quantized_reverse_->file_variables(nullptr);
  if (reverse_embeddings) return {reverse_embeddings};
  return {};
}

std::shared_ptr<ReversibleEmbeddingLayer> ReversibleEmbeddingLayer::from_config(
    const Value::Dict& dict) {
  return LayerOf::from_config(without_unused(dict, {"weights"}));
}

void register_reversible_embedding(Catalog& c) {
  c.add<ReversibleEmbeddingLayer>("keras.layers.ReversibleEmbedding");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::ReversibleEmbeddingLayer,
                              cornu::layers::ReversibleEmbeddingConfig>;
template class cornu::layers::TableLayer<cornu::layers::ReversibleEmbeddingLayer,
                                         cornu::layers::ReversibleEmbeddingConfig>;
