// T5's block and its attention.
#include "t5_transformer_layer.h"

#include <algorithm>
#include <cmath>

#include "../../framework/initializers/random_normal.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/nn/softmax.h"
#include "../../framework/ops/numpy/einsum.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/logic.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {
namespace {

constexpr int64_t buckets = 32, farthest = 128;

Dense projector(int64_t units, int64_t fan, const DTypePolicy& policy,
                const cornu::Activation& activation = {}) {
  const double stddev = 1 / std::sqrt(static_cast<double>(fan));
  return Dense({.units = units,
                .activation = activation,
                .use_bias = false,
                .kernel_initializer = initializers::RandomNormal({.stddev = stddev}),
                .dtype = policy});
}

}  // namespace

T5MultiHeadAttentionLayer::T5MultiHeadAttentionLayer(T5MultiHeadAttentionConfig c)
    : LayerOf(std::move(c)) {
  check_positive("key_value_dim", config.key_value_dim);
  check_positive("num_heads", config.num_heads);
}

void T5MultiHeadAttentionLayer::build(const Shape& input) {
  check_rank(input, 3, "(batch, steps, features)");
  const int64_t inner = *config.num_heads * *config.key_value_dim;
  const auto project = [&](const char* attribute, int64_t units, int64_t fan, Shape shape) {
    const Dense dense = track(attribute, projector(units, fan, dtype_policy()));
    dense->ensure_built(Tensor::abstract(shape, compute_dtype()));
    return dense;
  };
  query_projector = project("query_projector", inner, inner * *config.key_value_dim, input);
  key_projector = project("key_projector", inner, inner, input);
  value_projector = project("value_projector", inner, inner, input);
  output_projector = project("output_projector", input.back(), inner, {input[0], input[1], inner});
  dropout_ = track("dropout_layer", Dropout({.rate = config.dropout, .dtype = dtype_policy()}));
  if (!config.use_relative_attention_bias) return;
  const double stddev = 1 / std::sqrt(static_cast<double>(inner));
  relative_attention_bias =
      add_weight({.name = "embeddings",
                  .shape = {buckets, *config.num_heads},
                  .initializer = initializers::RandomNormal({.stddev = stddev})});
}

int64_t T5MultiHeadAttentionLayer::bucket(int64_t distance, bool both) {
  const int64_t count = both ? buckets / 2 : buckets, exact = count / 2;
  const int64_t first = both && distance > 0 ? count : 0;
  const int64_t size = both ? std::abs(distance) : std::max<int64_t>(-distance, 0);
  if (size < exact) return first + size;
  // In float32, as KerasHub: some distances lie at the border of two buckets.
  const float share = std::log(static_cast<float>(size) / static_cast<float>(exact)) /
                      std::log(static_cast<float>(farthest) / static_cast<float>(exact));
  const auto far = static_cast<int64_t>(share * static_cast<float>(count - exact));
  return first + std::min(exact + far, count - 1);
}

Tensor T5MultiHeadAttentionLayer::bias_of(int64_t t, int64_t s) const {
  if (!relative_attention_bias)
    throw StateError(
        "the layer has no numbers for distances; make it with use_relative_attention_bias, and "
        "build it.");
  std::vector<int32_t> numbers;
  for (int64_t i = 0; i < t; ++i)
    for (int64_t k = 0; k < s; ++k)
      numbers.push_back(static_cast<int32_t>(bucket(k - i, !*config.is_decoder)));
  const Tensor found = ops::take(Tensor(relative_attention_bias), Tensor::from(numbers, {t, s}), 0);
  return ops::expand_dims(ops::transpose(found, {{2, 0, 1}}), {0});
}

Tensor T5MultiHeadAttentionLayer::attend(const Tensor& x, const Tensor& seen, const Tensor& bias,
                                         const Tensor& mask) const {
  const auto heads = [&](const Dense& projector, const Tensor& x) {
    return ops::reshape(projector(x),
                        {x.shape()[0], x.shape()[1], *config.num_heads, *config.key_value_dim});
  };
  Tensor scores =
      ops::einsum("bqnd,bknd->bnqk", {heads(query_projector, x), heads(key_projector, seen)});
  // What hides a key is beyond 16 bits.
  const DType wide = size_of(compute_dtype()) < 4 ? DType::float32 : compute_dtype();
  scores = ops::cast(scores, wide);
  if (bias) scores = scores + ops::cast(bias, wide);
  if (mask) scores = ops::where(mask, scores, Tensor(-1e9));
  const Tensor weights = ops::cast(dropout_(ops::softmax(scores)), compute_dtype());
  const Tensor y = ops::einsum("bnqk,bknd->bqnd", {weights, heads(value_projector, seen)});
  return output_projector(
      ops::reshape(y, {x.shape()[0], x.shape()[1], *config.num_heads * *config.key_value_dim}));
}

Tensor T5MultiHeadAttentionLayer::call(const Tensor& x, const Call&) {
  const int64_t t = x.shape()[1];
  return attend(x, x, config.use_relative_attention_bias ? bias_of(t, t) : Tensor(), {});
}

T5TransformerLayerLayer::T5TransformerLayerLayer(T5TransformerLayerConfig c)
    : LayerOf(std::move(c)) {
  check_positive("intermediate_dim", config.intermediate_dim);
  check_positive("key_value_dim", config.key_value_dim);
  check_positive("num_heads", config.num_heads);
  check_fraction("dropout", config.dropout);
}

void T5TransformerLayerLayer::build_many(const Nest& inputs) {
  const Shape input = inputs.flatten().at(0).shape();
  check_rank(input, 3, "(batch, steps, features)");
  const Tensor x = Tensor::abstract(input, compute_dtype());
  const auto attention = [&](const char* attribute, bool bias) {
    const T5MultiHeadAttention layer =
        track(attribute, T5MultiHeadAttention({.is_decoder = *config.is_decoder,
                                               .key_value_dim = *config.key_value_dim,
                                               .num_heads = *config.num_heads,
                                               .dropout = config.dropout,
                                               .use_relative_attention_bias = bias,
                                               .dtype = dtype_policy()}));
    layer->ensure_built(x);
    return layer;
  };
  const auto norm = [&](const char* attribute) {
    const RMSNormalization layer =
        track(attribute,
              RMSNormalization({.epsilon = config.layer_norm_epsilon, .dtype = dtype_policy()}));
    layer->ensure_built(x);
    return layer;
  };
  self_attention = attention("self_attention", config.use_relative_attention_bias);
  self_attention_norm_ = norm("self_attention_layer_norm");
  if (config.is_decoder) {
    cross_attention = attention("cross_attention", false);
    cross_attention_norm_ = norm("cross_attention_layer_norm");
  }
  const int64_t features = input.back(), inner = config.intermediate_dim;
  input_projector =
      track("input_projector", projector(inner, features, dtype_policy(), config.activation));
  input_projector->ensure_built(x);
  if (config.use_gated_activation) {
    gate_projector = track("gate_projector", projector(inner, features, dtype_policy()));
    gate_projector->ensure_built(x);
  }
  output_projector = track("output_projector", projector(features, inner, dtype_policy()));
  output_projector->ensure_built(Tensor::abstract({input[0], input[1], inner}, compute_dtype()));
  norm_ = norm("layer_norm");
  dropout_ = track("dropout_layer", Dropout({.rate = config.dropout, .dtype = dtype_policy()}));
}

std::optional<std::vector<std::string>> T5TransformerLayerLayer::argument_names() const {
  return std::vector<std::string>{"padding_mask", "position_bias", "encoder_hidden_states",
                                  "encoder_padding_mask"};
}

Nest T5TransformerLayerLayer::call_many(const Nest& inputs, const Call& call) {
  const auto given = [&](const char* name) {
    const Value* value = call.find(name);
    return value && !value->is_null() ? value->get<Tensor>() : Tensor();
  };
  const auto padding_of = [&](const char* name) {
    const Tensor padding = given(name);
    return padding ? ops::expand_dims(ops::cast(padding, DType::boolean), {1, 2}) : Tensor();
  };
  Tensor x = inputs.flatten().at(0);
  const int64_t t = x.shape()[1];
  Tensor bias = given("position_bias");
  if (!bias && config.use_relative_attention_bias) bias = self_attention->bias_of(t, t);
  Tensor mask = padding_of("padding_mask");
  if (config.is_decoder) {
    const Tensor causal = ops::expand_dims(ops::causal_mask(t, t), {0, 1});
    mask = mask ? ops::logical_and(mask, causal) : causal;
  }
  Tensor y = self_attention_norm_(x);
  x = x + dropout_(self_attention->attend(y, y, bias, mask));
  if (config.is_decoder) {
    const Tensor encoded = given("encoder_hidden_states");
    if (!encoded)
      throw ValueError(
          "a decoder's block reads what the encoder gave; expected the argument "
          "'encoder_hidden_states', found none.");
    x = x + dropout_(cross_attention->attend(cross_attention_norm_(x), encoded, {},
                                             padding_of("encoder_padding_mask")));
  }
  y = norm_(x);
  Tensor inner = input_projector(y);
  if (config.use_gated_activation) inner = inner * gate_projector(y);
  x = x + dropout_(output_projector(dropout_(inner)));
  return bias ? Nest{x, bias} : Nest(x);
}

void register_t5_transformer_layer(Catalog& c) {
  c.add<T5MultiHeadAttentionLayer>("keras_hub>T5MultiHeadAttention");
  c.add<T5TransformerLayerLayer>("keras_hub>T5TransformerLayer");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::T5MultiHeadAttentionLayer,
                              cornu::layers::T5MultiHeadAttentionConfig>;
template class cornu::LayerOf<cornu::layers::T5TransformerLayerLayer,
                              cornu::layers::T5TransformerLayerConfig>;
