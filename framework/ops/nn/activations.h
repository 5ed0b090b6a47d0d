// Activations. A new one is a function here and a line in the source's list.
#pragma once
#include "../op.h"

namespace cornu::ops {

/// max(x, 0) limited to 6.
Tensor relu6(const Tensor& x);
/// x where positive, else negative_slope * x.
Tensor leaky_relu(const Tensor& x, const Value& negative_slope = 0.2);
/// x * sigmoid(x), https://arxiv.org/abs/1702.03118.
Tensor silu(const Tensor& x);
/// x times the standard normal's distribution function at x, https://arxiv.org/abs/1606.08415; the
/// approximation uses tanh.
Tensor gelu(const Tensor& x, bool approximate = true);
/// x where positive, else alpha * (exp(x) - 1), https://arxiv.org/abs/1511.07289.
Tensor elu(const Tensor& x, const Value& alpha = 1.0);
/// max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1), https://arxiv.org/abs/1704.07483.
Tensor celu(const Tensor& x, const Value& alpha = 1.0);
/// Scaled elu that keeps unit variance, https://arxiv.org/abs/1706.02515.
Tensor selu(const Tensor& x);
/// x / (1 + |x|).
Tensor softsign(const Tensor& x);
/// x limited: 0 below -3, 1 above 3, x / 6 + 1/2 between.
Tensor hard_sigmoid(const Tensor& x);
/// x * hard_sigmoid(x).
Tensor hard_silu(const Tensor& x);
/// silu by its other name.
inline Tensor swish(const Tensor& x) { return silu(x); }
/// hard_silu by its other name.
inline Tensor hard_swish(const Tensor& x) { return hard_silu(x); }
/// log(sigmoid(x)), as -softplus(-x).
Tensor log_sigmoid(const Tensor& x);
/// x * tanh(softplus(x)), https://arxiv.org/abs/1908.08681.
Tensor mish(const Tensor& x);
/// x limited to [-1, 1].
Tensor hard_tanh(const Tensor& x);
/// x - tanh(x).
Tensor tanh_shrink(const Tensor& x);
/// x where |x| exceeds the threshold, else 0.
Tensor hard_shrink(const Tensor& x, const Value& threshold = 0.5);
/// x moved towards 0 by the threshold, and 0 where |x| does not exceed it.
Tensor soft_shrink(const Tensor& x, const Value& threshold = 0.5);
/// x where it exceeds the threshold, else default_value.
Tensor threshold(const Tensor& x, const Value& threshold, const Value& default_value);
/// (x + sqrt(x^2 + b)) / 2, a smooth rectifier: https://arxiv.org/abs/2112.11687.
Tensor squareplus(const Tensor& x, const Value& b = 4);
/// 0 up to -1, x from 1 on, (x + 1)^2 / 4 between.
Tensor sparse_plus(const Tensor& x);
/// 0 up to -1, 1 from 1 on, (x + 1) / 2 between: the derivative of sparse_plus.
Tensor sparse_sigmoid(const Tensor& x);
/// Keras's activation relu with its settings: x limited to max_value where it is at least
/// `threshold`, else negative_slope * (x - threshold).
Tensor relu_activation(const Tensor& x, double negative_slope = 0,
                       std::optional<double> max_value = {}, double threshold = 0);
/// Keras's activation gelu: exact unless told otherwise, unlike the op of that name.
Tensor gelu_activation(const Tensor& x, bool approximate = false);
/// x itself, as keras.activations.linear. (numpy/products.h has the product of that name.)
Tensor linear(const Tensor& x);

}  // namespace cornu::ops
