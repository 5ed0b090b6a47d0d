// Attention: one kernel or, where that does not serve, two matrix products and a softmax.
#include "attention.h"

#include <fmt/core.h>

#include <cmath>

#include "../../../backend/grouped_attention.h"
#include "../../../backend/optional_kernels.h"
#include "../../tensor/promotion.h"
#include "../catalog.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/products.h"
#include "../numpy/reduction.h"
#include "../operators.h"
#include "flash_attention.h"
#include "softmax.h"

namespace cornu::ops {
namespace {

// (batch, steps, heads, depth) -> (batch, heads, steps, depth), and back.
Tensor swap_heads(const Tensor& x) { return transpose(x, std::vector<int64_t>{0, 2, 1, 3}); }

void check_shapes(const Shape& q, const Shape& k, const Shape& v) {
  const bool ranks = q.rank() == 4 && k.rank() == 4 && v.rank() == 4;
  if (ranks && q[0] == k[0] && q[0] == v[0] && k[1] == v[1] && k[2] == v[2] && q[3] == k[3] &&
      k[2] > 0 && q[2] % k[2] == 0)
    return;
  throw ShapeError(fmt::format(
      "dot_product_attention: expected query (batch, t, heads, depth), key (batch, s, heads, "
      "depth) and value (batch, s, heads, value_depth), found {}, {} and {}.",
      q.str(), k.str(), v.str()));
}

void check_mask(const Shape& mask, const Shape& q, const Shape& k) {
  const Shape logits{q[0], q[2], q[1], k[1]};
  // Refuses what does not broadcast.
  if (broadcast(mask, logits) == logits) return;
  throw ShapeError(fmt::format(
      "dot_product_attention: mask and bias must broadcast to (batch, heads, t, s) = {}, found {}.",
      logits.str(), mask.str()));
}

// Bias and mask as one: bools, or numbers to add.
Tensor join_masks(const AttentionOptions& options, DType dtype) {
  Tensor mask = options.mask ? ops::cast(*options.mask, DType::boolean) : Tensor();
  if (!options.bias) return mask;
  const Tensor bias = cast(*options.bias, dtype);
  return mask ? where(mask, bias, Tensor(-HUGE_VAL)) : bias;
}

// Keys or values for each head of the queries: neighboring ones share them.
Tensor for_each_head(const Tensor& x, const Tensor& query) {
  const int64_t shared = query.shape()[2] / x.shape()[2];
  return shared == 1 ? x : repeat(x, shared, 2);
}

// Whether the device's kernel takes keys and values of fewer heads as they are.
bool takes_groups(const Tensor& query) {
  const Device device = query.device();
  auto* const grouped = dynamic_cast<backend::GroupedAttention*>(&device.backend());
  return grouped && grouped->groups_heads(query.dtype());
}

Tensor compute(const Tensor& query, const Tensor& key, const Tensor& value,
               const AttentionOptions& options) {
  check_shapes(query.shape(), key.shape(), value.shape());
  const DType dtype = result_type(result_type(query.dtype(), key.dtype()), value.dtype());
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(query.shape()[3])));
  const Tensor q = cast(query, dtype);
  Tensor k = cast(key, dtype), v = cast(value, dtype);
  const Tensor mask = join_masks(options, wide);
  if (mask) check_mask(mask.shape(), q.shape(), k.shape());
  const bool fits = is_float(dtype) && k.shape() == v.shape() && !options.attn_logits_soft_cap;
  if (!fits || !options.flash_attention.value_or(config::is_flash_attention_enabled()))
    return detail::compose_attention(q, k, v, mask, scale, options.is_causal,
                                     options.attn_logits_soft_cap)
        .y;
  if (!takes_groups(q)) {
    k = for_each_head(k, q);
    v = for_each_head(v, q);
  }
  Tensors inputs{q, k, v};
  if (mask) inputs.push_back(mask);
  const Shape& from = q.shape();
  const TensorSpec outputs[] = {{from, dtype}, {{from[0], from[2], from[1]}, wide}};
  backend::use_attention_kernel();
  return apply(backend::Attention{.scale = scale, .causal = options.is_causal, .mask = bool(mask)},
               inputs, outputs)[0];
}

}  // namespace

Tensor causal_mask(int64_t t, int64_t s) {
  auto steps = [](int64_t n) { return arange(0, n); };
  return expand_dims(steps(t), {1}) >= expand_dims(steps(s), {0});
}

namespace {

using AttentionOp = Tensor(const Tensor&, const Tensor&, const Tensor&,
                           const std::optional<Tensor>&, const std::optional<Tensor>&,
                           std::optional<double>, bool, std::optional<bool>, std::optional<double>);

}  // namespace

Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const std::optional<Tensor>& bias, const std::optional<Tensor>& mask,
                             std::optional<double> scale, bool is_causal,
                             std::optional<bool> flash_attention,
                             std::optional<double> attn_logits_soft_cap) {
  return dot_product_attention(query, key, value,
                               AttentionOptions{.bias = bias,
                                                .mask = mask,
                                                .scale = scale,
                                                .is_causal = is_causal,
                                                .flash_attention = flash_attention,
                                                .attn_logits_soft_cap = attn_logits_soft_cap});
}

Tensor dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                             const AttentionOptions& options) {
  std::vector<Tensor> all = {query, key, value};
  if (options.bias) all.push_back(*options.bias);
  if (options.mask) all.push_back(*options.mask);
  if (!any_symbolic(all)) return compute(query, key, value, options);
  // As Keras calls it: settings that are no tensors, but for is_causal, are arguments too.
  Arguments arguments{{query, key, value}, {}};
  if (options.bias) arguments.named.emplace_back("bias", *options.bias);
  if (options.mask) arguments.named.emplace_back("mask", *options.mask);
  if (options.scale) arguments.named.emplace_back("scale", *options.scale);
  Value::Dict settings = {{"is_causal", options.is_causal}};
  if (options.flash_attention) settings.emplace_back("flash_attention", *options.flash_attention);
  if (options.attn_logits_soft_cap)
    settings.emplace_back("attn_logits_soft_cap", *options.attn_logits_soft_cap);
  auto operation = std::make_shared<OpOperation>(
      *op_catalog().find("keras.src.ops.nn", "DotProductAttention"), std::move(settings));
  const Nest outputs =
      infer_outputs(arguments, [&](const Arguments& a) { return operation->invoke(a); });
  return make_node(operation, std::move(arguments), outputs).tensor();
}

void list_nn_attention(OpCatalog& catalog) {
  catalog.add("nn.DotProductAttention",
              {"query", "key", "value", "bias=None", "mask=None", "scale=None", "is_causal=False",
               "flash_attention=None", "attn_logits_soft_cap=None"},
              static_cast<AttentionOp*>(&dot_product_attention));
}

}  // namespace cornu::ops

namespace cornu::detail {

ComposedAttention compose_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const Tensor& mask, double scale, bool causal,
                                    const std::optional<double>& soft_cap) {
  const DType dtype = query.dtype(), wide = dtype == DType::float64 ? dtype : DType::float32;
  const Tensor keys = ops::for_each_head(key, query), values = ops::for_each_head(value, query);
  Tensor logits =
      ops::matmul_transposed(ops::swap_heads(query), ops::swap_heads(keys), false, true);
  logits = ops::cast(logits, wide) * Tensor(scale);
  if (soft_cap) logits = ops::tanh(logits * Tensor(1 / *soft_cap)) * Tensor(*soft_cap);
  Tensor seen;
  if (causal) seen = ops::causal_mask(query.shape()[1], key.shape()[1]);
  // Finite, so that rows in which nothing is seen stay numbers.
  const Tensor lowest(-2.38e38);
  if (mask && mask.dtype() == DType::boolean)
    seen = seen ? ops::logical_and(seen, mask) : mask;
  else if (mask)
    logits = ops::maximum(logits + ops::cast(mask, wide), lowest);
  if (seen) logits = ops::where(seen, logits, lowest);
  const Tensor shares = ops::cast(ops::softmax(logits), dtype);
  return {logits, ops::swap_heads(ops::matmul(shares, ops::swap_heads(values)))};
}

}  // namespace cornu::detail
