// Attention as two matrix products and a softmax.
#include "attention.h"

#include <fmt/core.h>

#include <cmath>

#include "catalog.h"
#include "core.h"
#include "creation.h"
#include "linalg.h"
#include "nn.h"
#include "operators.h"
#include "shaping.h"

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

Tensor compute(const Tensor& query, const Tensor& key, const Tensor& value,
               const AttentionOptions& options) {
  check_shapes(query.shape(), key.shape(), value.shape());
  const DType dtype = result_type(result_type(query.dtype(), key.dtype()), value.dtype());
  const DType wide = dtype == DType::float64 ? dtype : DType::float32;
  const int64_t shared = query.shape()[2] / key.shape()[2];
  auto heads = [&](const Tensor& x) {
    return swap_heads(cast(shared == 1 ? x : repeat(x, shared, 2), dtype));
  };
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(query.shape()[3])));
  Tensor logits = matmul_transposed(swap_heads(cast(query, dtype)), heads(key), false, true);
  logits = cast(logits, wide) * Tensor(scale);
  if (options.bias) logits = logits + cast(*options.bias, wide);
  Tensor seen;
  if (options.mask) seen = cast(*options.mask, DType::boolean);
  if (options.is_causal) {
    const Tensor causal = causal_mask(query.shape()[1], key.shape()[1]);
    seen = seen ? logical_and(seen, causal) : causal;
  }
  // Finite, so that rows in which nothing is seen stay numbers.
  if (seen) logits = where(seen, logits, Tensor(wide == DType::float64 ? -1.2e308 : -2.38e38));
  return swap_heads(matmul(cast(softmax(logits), dtype), heads(value)));
}

// The op as files know it.
Tensor listed(const Tensor& query, const Tensor& key, const Tensor& value,
              const std::optional<Tensor>& bias, const std::optional<Tensor>& mask,
              const std::optional<double>& scale, bool is_causal, const std::optional<bool>&,
              const std::optional<double>& attn_logits_soft_cap) {
  if (attn_logits_soft_cap)
    throw UnsupportedError("dot_product_attention: attn_logits_soft_cap is not supported.");
  return dot_product_attention(
      query, key, value, {.bias = bias, .mask = mask, .scale = scale, .is_causal = is_causal});
}

}  // namespace

Tensor causal_mask(int64_t t, int64_t s) {
  auto steps = [](int64_t n) { return arange(0, static_cast<double>(n)); };
  return expand_dims(steps(t), {1}) >= expand_dims(steps(s), {0});
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
  auto operation =
      std::make_shared<OpOperation>(*op_catalog().find("keras.src.ops.nn", "DotProductAttention"),
                                    Value::Dict{{"is_causal", options.is_causal}});
  const Nest outputs =
      infer_outputs(arguments, [&](const Arguments& a) { return operation->invoke(a); });
  return make_node(operation, std::move(arguments), outputs).tensor();
}

void list_attention(OpCatalog& catalog) {
  catalog.add("nn.DotProductAttention",
              {"query", "key", "value", "bias=None", "mask=None", "scale=None", "is_causal=False",
               "flash_attention=None", "attn_logits_soft_cap=None"},
              &listed);
}

}  // namespace cornu::ops
