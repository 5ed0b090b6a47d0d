// Building the blocks, and what is around their attention.
#include "transformer_block.h"

#include <fmt/core.h>

#include "../../framework/ops/operators.h"
#include "transformer_decoder.h"
#include "transformer_encoder.h"

namespace cornu::layers {

template <class Self>
TransformerBlock<Self>::TransformerBlock(TransformerBlockConfig c)
    : LayerOf<Self, TransformerBlockConfig>(std::move(c)) {
  check_positive("intermediate_dim", this->config.intermediate_dim);
  check_positive("num_heads", this->config.num_heads);
  this->supports_masking_ = true;
}

template <class Self>
void TransformerBlock<Self>::build(const Shape& input) {
  check_rank(input, 3, "(batch, steps, features)");
  const TransformerBlockConfig& config = this->config;
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
                  .dtype = this->dtype_policy()});
  };
  auto norm = [&] {
    return LayerNormalization(
        {.epsilon = config.layer_norm_epsilon, .dtype = this->dtype_policy()});
  };
  auto dropout = [&] { return Dropout({.rate = config.dropout, .dtype = this->dtype_policy()}); };
  self_attention =
      this->track("_self_attention_layer",
                  MultiHeadAttention({.num_heads = heads,
                                      .key_dim = features / heads,
                                      .dropout = config.dropout,
                                      .kernel_initializer = copy_of(config.kernel_initializer),
                                      .bias_initializer = copy_of(config.bias_initializer),
                                      .dtype = this->dtype_policy()}));
  self_attention_norm = this->track("_self_attention_layer_norm", norm());
  self_attention_dropout_ = this->track("_self_attention_dropout", dropout());
  feedforward_intermediate_dense = this->track("_feedforward_intermediate_dense",
                                               dense(config.intermediate_dim, config.activation));
  feedforward_output_dense = this->track("_feedforward_output_dense", dense(features, {}));
  feedforward_norm = this->track("_feedforward_layer_norm", norm());
  feedforward_dropout_ = this->track("_feedforward_dropout", dropout());

  const Tensor x = Tensor::abstract(input, this->compute_dtype());
  self_attention->ensure_built(Nest({x, x}));
  self_attention_norm->ensure_built(x);
  feedforward_intermediate_dense->ensure_built(x);
  Shape inner = input;
  inner[inner.rank() - 1] = config.intermediate_dim;
  feedforward_output_dense->ensure_built(Tensor::abstract(inner, this->compute_dtype()));
  feedforward_norm->ensure_built(x);
}

template <class Self>
Tensor TransformerBlock<Self>::add_part(const Tensor& x, const LayerNormalization& norm,
                                        const Dropout& dropout,
                                        const std::function<Tensor(const Tensor&)>& part) const {
  if (this->config.normalize_first) return x + dropout(part(norm(x)));
  return norm(x + dropout(part(x)));
}

template <class Self>
Tensor TransformerBlock<Self>::run(const Tensor& x,
                                   const std::function<Tensor(const Tensor&)>& attend) const {
  const Tensor attended = add_part(x, self_attention_norm, self_attention_dropout_, attend);
  return add_part(attended, feedforward_norm, feedforward_dropout_, [&](const Tensor& y) {
    return feedforward_output_dense(feedforward_intermediate_dense(y));
  });
}

}  // namespace cornu::layers

template class cornu::layers::TransformerBlock<cornu::layers::TransformerDecoderLayer>;
template class cornu::layers::TransformerBlock<cornu::layers::TransformerEncoderLayer>;
