// Crossentropies, and the peak signal-to-noise ratio.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// Crossentropies of rows. `target` are probabilities of `output`'s shape, or class numbers
/// (sparse); `output` are probabilities (normalised and clipped by 1e-7 as in Keras) or, with
/// from_logits, unnormalised.
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output,
                                bool from_logits = false, int64_t axis = -1);
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output,
                                       bool from_logits = false, int64_t axis = -1);
/// Elementwise.
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false);
/// The peak signal-to-noise ratio of two signals in decibels, a scalar.
Tensor psnr(const Tensor& x1, const Tensor& x2, const Tensor& max_val);

}  // namespace cornu::ops
