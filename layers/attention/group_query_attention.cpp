// Attention whose queries share keys and values in groups of heads.
#include "group_query_attention.h"

#include <fmt/core.h>

#include <cmath>

#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/numpy/einsum.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

GroupQueryAttentionLayer::GroupQueryAttentionLayer(GroupQueryAttentionConfig c)
    : QueryValueLayer(std::move(c)) {
  check_positive("head_dim", config.head_dim);
  check_positive("num_query_heads", config.num_query_heads);
  check_positive("num_key_value_heads", config.num_key_value_heads);
  if (*config.num_query_heads % *config.num_key_value_heads != 0)
    throw ValueError(fmt::format(
        "option 'num_query_heads' must be a multiple of num_key_value_heads, found {} and {}.",
        *config.num_query_heads, *config.num_key_value_heads));
  if (config.sliding_window) check_positive("sliding_window", *config.sliding_window);
  supports_masking_ = true;
}

EinsumDense GroupQueryAttentionLayer::make_dense(const char* name, const char* equation,
                                                 const char* bias_axes, const Shape& output,
                                                 const cornu::Activation& activation) const {
  return EinsumDense(
      {.equation = equation,
       .output_shape = output,
       .activation = activation,
       .bias_axes = config.use_bias ? std::optional<std::string>(bias_axes) : std::nullopt,
       .kernel_initializer = copy_of(config.kernel_initializer),
       .bias_initializer = copy_of(config.bias_initializer),
       .kernel_regularizer = config.kernel_regularizer,
       .bias_regularizer = config.bias_regularizer,
       .activity_regularizer = config.activity_regularizer,
       .kernel_constraint = config.kernel_constraint,
       .bias_constraint = config.bias_constraint,
       .name = name,
       .trainable = trainable(),
       .dtype = dtype_policy()});
}

void GroupQueryAttentionLayer::build_many(const Nest& inputs) {
  const std::vector<Tensor> all = inputs.flatten();
  const Shape query = all.at(0).shape(), value = all.size() > 1 ? all[1].shape() : query;
  const Shape key = all.size() > 2 ? all[2].shape() : value;
  for (const Shape& shape : {query, value, key}) check_rank(shape, 3, "(batch, steps, features)");
  if (value[1] != key[1])
    throw ShapeError(
        fmt::format("value and key must have the same number of steps; found value {} and key {}.",
                    value.str(), key.str()));
  const int64_t size = config.head_dim;
  auto project = [&](const char* attribute, const char* name, const char* equation,
                     const char* bias_axes, const Shape& input, const Shape& output,
                     const cornu::Activation& activation = {}) {
    const EinsumDense dense =
        track(attribute, make_dense(name, equation, bias_axes, output, activation));
    dense->ensure_built(Tensor::abstract(input, compute_dtype()));
    return dense;
  };
  const Shape own{Shape::unknown, *config.num_query_heads, size};
  const Shape shared{Shape::unknown, *config.num_key_value_heads, size};
  query_dense = project("_query_dense", "query", "bqm,muh->bquh", "uh", query, own);
  key_dense = project("_key_dense", "key", "bkm,mvh->bkvh", "vh", key, shared);
  if (config.use_gate)
    gate_dense = project("_gate_dense", "gate", "bqm,muh->bquh", "uh", query, own, "sigmoid");
  value_dense = project("_value_dense", "value", "bkm,mvh->bkvh", "vh", value, shared);
  softmax_ = track("_softmax", Softmax({.axis = -1, .dtype = dtype_policy()}));
  dropout_ = track("_dropout_layer",
                   Dropout({.rate = config.dropout, .seed = config.seed, .dtype = dtype_policy()}));
  output_dense =
      project("_output_dense", "attention_output", "bquh,uhm->bqm", "m",
              {query[0], query[1], *config.num_query_heads, size}, {Shape::unknown, query.back()});
}

std::pair<Tensor, Tensor> GroupQueryAttentionLayer::attend(const Tensor& query, const Tensor& key,
                                                           const Tensor& value, const Tensor& mask,
                                                           bool causal, bool scores,
                                                           bool training) {
  const double scale = 1 / std::sqrt(static_cast<double>(*config.head_dim));
  // As in MultiHeadAttention: queries that see no key get the mean of all values here.
  const bool drops = config.dropout > 0 && (mask || training);
  if (!drops && !scores) {
    ops::AttentionOptions options{.scale = scale, .is_causal = causal};
    if (mask) options.mask = mask_with_heads(mask, 4);
    return {ops::dot_product_attention(query, key, value, options), {}};
  }
  const int64_t group = *config.num_query_heads / *config.num_key_value_heads;
  const Tensor logits =
      ops::einsum("bquh,bkuh->buqk", {query * Tensor(scale), ops::repeat(key, group, 2)});
  Tensor seen = mask;
  if (causal) seen = ops::expand_dims(ops::causal_mask(query.shape()[1], key.shape()[1]), {0});
  Call call;
  if (seen) call.mask = mask_with_heads(seen, 4);
  const Tensor weights = softmax_(logits, call);
  const Tensor kept = config.dropout > 0 ? dropout_(weights) : weights;
  return {ops::einsum("buqk,bkuh->bquh", {kept, ops::repeat(value, group, 2)}), weights};
}

Nest GroupQueryAttentionLayer::call_many(const Nest& given, const Call& given_call) {
  Call call = given_call;
  const std::vector<Tensor> inputs = take_query_value_key(given, call);
  const Tensor &query = inputs[0], &value = inputs.size() > 1 ? inputs[1] : query;
  const Tensor& key = inputs.size() > 2 ? inputs[2] : value;
  const bool scores = find_flag(call, "return_attention_scores");
  const bool causal = find_flag(call, "use_causal_mask");
  // With nothing but the causal mask, the attention makes it itself.
  Tensor mask = join_attention_masks(inputs, call, false, config.sliding_window);
  const bool only_causal = causal && !mask;
  if (causal && mask) mask = join_attention_masks(inputs, call, true, config.sliding_window);

  // The masks have been used; the projections would say that theirs end there.
  auto bare = [](const Tensor& x) { return x.mask() ? apply_reshape(x, x.shape()) : x; };
  const Tensor q = query_dense(bare(query)), k = key_dense(bare(key)), v = value_dense(bare(value));
  auto [heads, weights] = attend(q, k, v, mask, only_causal, scores, call.is_training());
  if (config.use_gate) heads = heads * gate_dense(bare(query));
  const Tensor output = output_dense(heads);
  if (!scores) return output;
  return {output, weights};
}

std::shared_ptr<GroupQueryAttentionLayer> GroupQueryAttentionLayer::from_config(
    const Value::Dict& dict) {
  Value::Dict used;
  for (const auto& [key, value] : dict)
    if (key != "flash_attention") used.emplace_back(key, value);  // changes no result
  return LayerOf::from_config(used);
}

void register_group_query_attention(Catalog& c) {
  c.add<GroupQueryAttentionLayer>("keras.layers.GroupQueryAttention");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::GroupQueryAttentionLayer,
                              cornu::layers::GroupQueryAttentionConfig>;
