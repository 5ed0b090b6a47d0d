// Crossentropies, and the peak signal-to-noise ratio.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Crossentropies along `axis`, which is gone in the result. `target` are probabilities of
/// `output`'s shape; `output` are probabilities (normalized and clipped by 1e-7 as in Keras) or,
/// with from_logits, unnormalized. Throws ShapeError when the shapes do not fit.
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output,
                                bool from_logits = false, int64_t axis = -1);
/// The same for `target` of class numbers, with output's shape but for `axis`.
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output,
                                       bool from_logits = false, int64_t axis = -1);
/// -t log(p) - (1 - t) log(1 - p) of each element, with p clipped by 1e-7, or the sigmoid of
/// logits.
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false);
/// The peak signal-to-noise ratio of two signals in decibels, a scalar.
Tensor psnr(const Tensor& x1, const Tensor& x2, const Tensor& max_val);

}  // namespace cornu::ops
