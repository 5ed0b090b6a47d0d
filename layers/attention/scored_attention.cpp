// From scores to the values that they weigh.
#include "scored_attention.h"

#include <fmt/core.h>

#include "../../framework/ops/convert.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/attention.h"
#include "../../framework/ops/nn/softmax.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/products.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"

namespace cornu::layers {

AttentionInputs attention_inputs(const Nest& inputs) {
  const std::vector<Tensor> all = inputs.flatten();
  if (all.size() < 2 || all.size() > 3)
    throw ShapeError(
        fmt::format("expected the inputs {{query, value}} or {{query, value, key}}, found {} "
                    "tensor{}.",
                    all.size(), all.size() == 1 ? "" : "s"));
  for (const Tensor& t : all) check_min_rank(t.shape(), 2);
  return {all[0], all[1], all.size() > 2 ? all[2] : all[1]};
}

AttentionFlags attention_flags(const Call& call) {
  const std::vector<std::string> known = {"use_causal_mask", "return_attention_scores"};
  AttentionFlags flags{};
  for (const auto& [name, value] : call.extra) {
    const bool on = !value.is_null() && detail::from_value<bool>(value);
    if (name == known[0])
      flags.causal = on;
    else if (name == known[1])
      flags.scores = on;
    else
      throw ValueError(
          fmt::format("the argument '{}' is not known.{}", name, did_you_mean(name, known)));
  }
  return flags;
}

Tensor hide_masked_queries(const Tensor& y, const Tensor& query) {
  if (!query.mask()) return y;
  const Tensor seen = ops::cast(query.mask(), DType::boolean);
  return ops::where(ops::expand_dims(seen, {-1}), y, Tensor(0.0));
}

Nest attend_by_scores(const Tensor& scores, const AttentionInputs& inputs, const Call& call,
                      double dropout, SeedGenerator* seeds) {
  const AttentionFlags flags = attention_flags(call);
  Tensor seen;
  if (inputs.value.mask())
    seen = ops::expand_dims(ops::cast(inputs.value.mask(), DType::boolean), {-2});
  if (flags.causal) {
    const Tensor earlier =
        ops::expand_dims(ops::causal_mask(scores.shape(-2), scores.shape(-1)), {0});
    seen = seen ? ops::logical_and(seen, earlier) : earlier;
  }
  Tensor logits = scores;
  if (seen) {
    const double far = scores.dtype() == DType::float16 ? 65504.0 : 1e9;
    logits = ops::where(seen, scores, scores - Tensor(far));
  }
  const Tensor weights = ops::softmax(logits);
  const bool drops = seeds && dropout > 0 && call.is_training();
  const Tensor kept = drops ? random::dropout(weights, dropout, *seeds) : weights;
  const Tensor y = hide_masked_queries(ops::matmul(kept, inputs.value), inputs.query);
  if (!flags.scores) return y;
  return {y, kept};
}

}  // namespace cornu::layers
