// Normalization over axes.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// (x - mean) / sqrt(variance + epsilon) * scale + offset, with vectors that lie along `axis`: x
/// (..., c, ...), mean, variance, offset and scale (c). Throws ShapeError when a vector has another
/// size.
Tensor batch_normalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                           int64_t axis, const std::optional<Tensor>& offset = {},
                           const std::optional<Tensor>& scale = {}, double epsilon = 1e-3);
/// (x - mean) / sqrt(variance + epsilon) * gamma + beta, with the mean and variance of x over
/// `axis`, whose sizes gamma and beta have. `epsilon` is 1e-7 by default; computed in float32 or
/// wider, with a result of x's dtype. `rms_scaling`, of older files, divides x without subtracting
/// the mean. Ba et al., Layer Normalization, https://arxiv.org/abs/1607.06450.
Tensor layer_normalization(const Tensor& x, const std::optional<Tensor>& gamma = {},
                           const std::optional<Tensor>& beta = {}, const Axes& axis = -1,
                           std::optional<double> epsilon = {}, bool rms_scaling = false);
/// x / sqrt(mean(x^2) + epsilon) * scale, with the mean over `axis`; `scale` broadcasts to x.
/// Epsilon and precision as in layer_normalization. Zhang and Sennrich,
/// https://arxiv.org/abs/1910.07467.
Tensor rms_normalization(const Tensor& x, const std::optional<Tensor>& scale = {},
                         const Axes& axis = -1, std::optional<double> epsilon = {});
/// x / max(norm(x), epsilon), with the norm of the given order (2: Euclid's) over `axis`; `epsilon`
/// is 1e-7 by default. Throws ValueError unless the order is positive.
Tensor normalize(const Tensor& x, const Axes& axis = -1, int64_t order = 2,
                 std::optional<double> epsilon = {});
/// Mean and variance over axes; float16 and bfloat16 are computed in float32. On one
/// machine there is nothing to synchronize.
std::pair<Tensor, Tensor> moments(const Tensor& x, const Axes& axes, bool keepdims = false,
                                  bool synchronized = false);
/// What normalize_channels finds; mean and variance are float32 (float64 for float64 x).
struct NormalizedChannels {
  Tensor y;         ///< as x
  Tensor mean;      ///< (c)
  Tensor variance;  ///< (c), the biased one
};
/// batch_normalization of x (..., c) by its own mean and variance over all axes but the last, in
/// two passes over memory; `offset` and `scale` (c) may be empty. y gets the dtype `dtype`. For use
/// in layers: it is no op that a graph could hold.
NormalizedChannels normalize_channels(const Tensor& x, const Tensor& offset, const Tensor& scale,
                                      double epsilon, DType dtype);

}  // namespace cornu::ops
