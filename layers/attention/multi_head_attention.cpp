// Several attentions side by side.
#include "multi_head_attention.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/numpy/einsum.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {

namespace {

char letter(int i) { return static_cast<char>('a' + i); }

// "abc,cde->abde", "de": `free` axes stay, `bound` ones are summed over, `made` ones come.
struct Projection {
  std::string equation, bias_axes;
};

Projection projection(int free, int bound, int made) {
  std::string all;
  for (int i = 0; i < free + bound + made; ++i) all += letter(i);
  const std::string kept = all.substr(0, free), gone = all.substr(free, bound);
  const std::string come = all.substr(free + bound);
  return {kept + gone + "," + gone + come + "->" + kept + come, come};
}

}  // namespace

MultiHeadAttentionLayer::MultiHeadAttentionLayer(MultiHeadAttentionConfig c)
    : QueryValueLayer(std::move(c)) {
  check_positive("num_heads", config.num_heads);
  check_positive("key_dim", config.key_dim);
  if (!config.value_dim) config.value_dim = *config.key_dim;
  check_positive("value_dim", *config.value_dim);
  if (config.sliding_window) check_positive("sliding_window", *config.sliding_window);
  if (config.output_shape && config.output_shape->empty()) config.output_shape.reset();
  supports_masking_ = true;
  // The projections apply it, each to its own output; the layer itself does not, as in Keras.
  set_activity_regularizer({});
}

// --- building --------------------------------------------------------------------------

EinsumDense MultiHeadAttentionLayer::make_dense(const char* name, const std::string& equation,
                                                const std::string& bias_axes, const Shape& output,
                                                const cornu::Activation& activation) const {
  return EinsumDense({.equation = equation,
                      .output_shape = output,
                      .activation = activation,
                      .bias_axes = config.use_bias ? std::optional(bias_axes) : std::nullopt,
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

void MultiHeadAttentionLayer::build_many(const Nest& inputs) {
  const std::vector<Tensor> all = inputs.flatten();
  const Shape query = all.at(0).shape(), value = all.size() > 1 ? all[1].shape() : query;
  const Shape key = all.size() > 2 ? all[2].shape() : value;
  check_min_rank(query, 3);
  const int rank = query.rank();
  if (value.rank() != rank || key.rank() != rank ||
      value.slice(1, rank - 1) != key.slice(1, rank - 1))
    throw ShapeError(fmt::format(
        "query, value and key must have the same rank, and value and key must be equal but for "
        "the last axis; found query {}, value {} and key {}.",
        query.str(), value.str(), key.str()));

  const Projection in = projection(rank - 1, 1, 2);
  auto project = [&](const char* attribute, const char* name, const Shape& shape, int64_t size,
                     const cornu::Activation& activation = {}) {
    Shape output = std::vector<int64_t>(static_cast<size_t>(rank - 2), Shape::unknown);
    output.push_back(config.num_heads);
    output.push_back(size);
    const EinsumDense dense =
        track(attribute, make_dense(name, in.equation, in.bias_axes, output, activation));
    dense->ensure_built(Tensor::abstract(shape, compute_dtype()));
    return dense;
  };
  query_dense = project("query_dense", "query", query, config.key_dim);
  key_dense = project("key_dense", "key", key, config.key_dim);
  if (config.use_gate)
    gate_dense = project("_gate_dense", "gate", query, *config.value_dim, "sigmoid");
  value_dense = project("value_dense", "value", value, *config.value_dim);

  // Axes of the projected tensors: batch, others, heads, features.
  std::vector<int64_t> axes;
  if (config.attention_axes)
    for (int64_t axis : *config.attention_axes) axes.push_back(axis < 0 ? axis + rank : axis);
  else
    for (int64_t axis = 1; axis < rank - 1; ++axis) axes.push_back(axis);
  config.attention_axes = axes;
  std::string target, source, heads, target_steps, source_steps;
  for (int i = 0, next = rank + 1; i <= rank; ++i) {
    const bool attends = std::find(axes.begin(), axes.end(), i) != axes.end();
    target += letter(i);
    source += attends ? letter(next++) : letter(i);
    if (!attends && i < rank) heads += letter(i);
  }
  for (int64_t axis : axes) {
    if (axis < 0 || axis > rank)
      throw ValueError(fmt::format("option 'attention_axes': there is no axis {} in query {}.",
                                   axis, query.str()));
    target_steps += target[static_cast<size_t>(axis)];
    source_steps += source[static_cast<size_t>(axis)];
  }
  const std::string scores = heads + target_steps + source_steps;
  product_equation_ = source + "," + target + "->" + scores;
  combine_equation_ = scores + "," + source + "->" + target;

  std::vector<int64_t> summed;
  for (size_t i = scores.size() - axes.size(); i < scores.size(); ++i)
    summed.push_back(static_cast<int64_t>(i));
  softmax_ = track("_softmax", Softmax({.axis = summed, .dtype = dtype_policy()}));
  dropout_ = track("_dropout_layer",
                   Dropout({.rate = config.dropout, .seed = config.seed, .dtype = dtype_policy()}));

  const Shape made = config.output_shape ? *config.output_shape : Shape{query.back()};
  const Projection out = projection(rank - 1, 2, made.rank());
  Shape output = std::vector<int64_t>(static_cast<size_t>(rank - 2), Shape::unknown);
  output_dense = track("output_dense", make_dense("attention_output", out.equation, out.bias_axes,
                                                  concat(output, made)));
  output_dense->ensure_built(Tensor::abstract(
      concat(query.slice(0, rank - 1), Shape{*config.num_heads, *config.value_dim}),
      compute_dtype()));
}

// --- the computation -------------------------------------------------------------------

std::pair<Tensor, Tensor> MultiHeadAttentionLayer::attend(const Tensor& query, const Tensor& key,
                                                          const Tensor& value, const Tensor& mask,
                                                          bool causal, bool scores, bool drops) {
  const int attended = static_cast<int>(config.attention_axes->size());
  const double scale = 1 / std::sqrt(static_cast<double>(*config.key_dim));
  // Keras takes this way where there is no dropout. It differs from the other for queries that see
  // no key: they get the mean of all values here, and zeros there.
  if (!drops && !scores && query.rank() == 4) {
    ops::AttentionOptions options{.scale = scale, .is_causal = causal};
    if (mask) options.mask = mask_with_heads(mask, 4);
    return {ops::dot_product_attention(query, key, value, options), {}};
  }
  const Tensor logits = ops::einsum(product_equation_, {key, query * Tensor(scale)});
  Tensor seen = mask;
  if (causal) seen = ops::expand_dims(ops::causal_mask(query.shape()[1], key.shape()[1]), {0});
  Call call;
  if (seen) call.mask = mask_with_heads(seen, logits.rank(), attended);
  const Tensor weights = softmax_(logits, call);
  const Tensor kept = config.dropout > 0 ? dropout_(weights) : weights;
  return {ops::einsum(combine_equation_, {kept, value}), weights};
}

namespace {

// What the attention would say of tensors with heads, in the words of the layer's inputs.
void check_steps(const Tensor& query, const Tensor& value, const Tensor& key) {
  const Shape &q = query.shape(), &v = value.shape(), &k = key.shape();
  if (v.rank() == 3 && k.rank() == 3 && q[0] == v[0] && v.slice(0, 2) == k.slice(0, 2)) return;
  throw ShapeError(fmt::format(
      "expected query (batch, t, features), value (batch, s, features) and key (batch, s, "
      "features) with one size of batch, found query {}, value {} and key {}.",
      q.str(), v.str(), k.str()));
}

}  // namespace

Nest MultiHeadAttentionLayer::call_many(const Nest& given, const Call& given_call) {
  Call call = given_call;
  const std::vector<Tensor> inputs = take_query_value_key(given, call);
  const Tensor &query = inputs[0], &value = inputs.size() > 1 ? inputs[1] : query;
  const Tensor& key = inputs.size() > 2 ? inputs[2] : value;
  const bool scores = find_flag(call, "return_attention_scores");
  const bool causal = find_flag(call, "use_causal_mask");
  // Keras masks queries by the mask that they carry, and by no argument.
  std::erase_if(call.extra, [](const auto& entry) { return entry.first == "query_mask"; });
  // With nothing but the causal mask, the attention makes it itself.
  Tensor mask = join_attention_masks(inputs, call, false, config.sliding_window);
  const bool only_causal = causal && !mask;
  if (causal && mask) mask = join_attention_masks(inputs, call, true, config.sliding_window);

  const bool drops = config.dropout > 0 && (mask || call.is_training());
  if (!drops && !scores && query.rank() == 3) check_steps(query, value, key);

  // The masks have been used; the projections would say that theirs end there.
  auto bare = [](const Tensor& x) { return x.mask() ? apply_reshape(x, x.shape()) : x; };
  const Tensor q = query_dense(bare(query)), k = key_dense(bare(key)), v = value_dense(bare(value));
  auto [heads, weights] = attend(q, k, v, mask, only_causal, scores, drops);
  if (config.use_gate) heads = heads * gate_dense(bare(query));
  const Tensor output = output_dense(heads);
  if (!scores) return output;
  return {output, weights};
}

std::shared_ptr<MultiHeadAttentionLayer> MultiHeadAttentionLayer::from_config(
    const Value::Dict& dict) {
  Value::Dict used;
  // How Keras computes, which changes no result, and what earlier versions kept of the build.
  for (const auto& [key, value] : dict)
    if (key != "flash_attention" && key != "query_shape" && key != "key_shape" &&
        key != "value_shape" && key != "softmax_robust_masking")
      used.emplace_back(key, value);
  return LayerOf::from_config(used);
}

Value::Dict MultiHeadAttentionLayer::get_config() const {
  Value::Dict dict = LayerOf::get_config();
  for (auto& [key, value] : dict)
    if (key == "activity_regularizer")
      value = detail::OptionCodec<Choice<Regularizer>>::encode(config.activity_regularizer);
  return dict;
}

void register_multi_head_attention(Catalog& c) {
  c.add<MultiHeadAttentionLayer>("keras.layers.MultiHeadAttention");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MultiHeadAttentionLayer,
                              cornu::layers::MultiHeadAttentionConfig>;
