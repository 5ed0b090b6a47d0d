// Draws that are whole numbers: classes and counts.
#pragma once
#include <optional>

#include "seed.h"

namespace cornu::random {

/// `num_samples` class numbers for each row of `logits` (n, classes): (n, num_samples), int32 or
/// int64. A class is drawn with the probability that softmax gives it: the greatest of its logit
/// plus noise of Gumbel's distribution, as JAX draws. Throws ShapeError for other ranks.
Tensor categorical(const Tensor& logits, int64_t num_samples, DTypeName dtype = DType::int32,
                   std::optional<Seed> seed = {});
/// How many of `counts` tries with success probability `probabilities` succeed; both broadcast to
/// `shape`. Float, as in Keras; not Keras's numbers of the same seed. No gradient passes.
Tensor binomial(const Shape& shape, const Tensor& counts, const Tensor& probabilities,
                OptionalDType dtype = {}, std::optional<Seed> seed = {});

}  // namespace cornu::random
