// Operations of neural networks: activations, softmax, convolution, pooling, encodings, losses on logits.
#pragma once
#include "core.h"
#include "elementwise.h"
#include "linalg.h"
#include "operators.h"
#include "reduction.h"

namespace cornu {
class OpCatalog;
namespace ops {

// --- activations: one program each -------------------------------------------------------------------

/// max(x, 0) limited to 6.
inline Tensor relu6(const Tensor& x) {
  return op(&relu6, [](const Tensor& x) {
    return fused([](Expr x) { return expr::minimum(expr::relu(x), 6.0); }, x);
  }, x);
}

/// x where positive, else negative_slope * x.
inline Tensor leaky_relu(const Tensor& x, double negative_slope = 0.2) {
  return op(&leaky_relu, [](const Tensor& x, double slope) {
    return fused([](Expr x, Expr slope) { return expr::select(x >= 0.0, x, x * slope); }, x, Tensor(slope));
  }, x, negative_slope);
}

/// x * sigmoid(x), https://arxiv.org/abs/1702.03118.
inline Tensor silu(const Tensor& x) {
  return op(&silu, [](const Tensor& x) {
    return fused([](Expr x) { return x * expr::sigmoid(x); }, x);
  }, x);
}

/// x times the standard normal's distribution function at x, https://arxiv.org/abs/1606.08415; the
/// approximation uses tanh.
inline Tensor gelu(const Tensor& x, bool approximate = true) {
  return op(&gelu, [](const Tensor& x, bool approximate) {
    if (!approximate)
      return fused([](Expr x) { return x * 0.5 * (1.0 + expr::erf(x * 0.7071067811865476)); }, x);
    return fused([](Expr x) {
      return x * 0.5 * (1.0 + expr::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    }, x);
  }, x, approximate);
}

/// x where positive, else alpha * (exp(x) - 1), https://arxiv.org/abs/1511.07289.
inline Tensor elu(const Tensor& x, double alpha = 1.0) {
  return op(&elu, [](const Tensor& x, double alpha) {
    return fused([](Expr x, Expr a) {
      return expr::select(x > 0.0, x, a * expr::expm1(expr::select(x > 0.0, 0.0, x)));
    }, x, Tensor(alpha));
  }, x, alpha);
}

/// Scaled elu that keeps unit variance, https://arxiv.org/abs/1706.02515.
inline Tensor selu(const Tensor& x) {
  return op(&selu, [](const Tensor& x) {
    return fused([](Expr x) {
      return 1.0507009873554805 *
             expr::select(x > 0.0, x, 1.6732632423543772 * expr::expm1(expr::select(x > 0.0, 0.0, x)));
    }, x);
  }, x);
}

/// x / (1 + |x|).
inline Tensor softsign(const Tensor& x) {
  return op(&softsign, [](const Tensor& x) {
    return fused([](Expr x) { return x / (1.0 + expr::absolute(x)); }, x);
  }, x);
}

/// x limited: 0 below -3, 1 above 3, x / 6 + 1/2 between.
inline Tensor hard_sigmoid(const Tensor& x) {
  return op(&hard_sigmoid, [](const Tensor& x) {
    return fused([](Expr x) { return expr::minimum(expr::relu(x + 3.0), 6.0) / 6.0; }, x);
  }, x);
}

/// x * hard_sigmoid(x).
inline Tensor hard_silu(const Tensor& x) {
  return op(&hard_silu, [](const Tensor& x) {
    return fused([](Expr x) { return x * (expr::minimum(expr::relu(x + 3.0), 6.0) / 6.0); }, x);
  }, x);
}

/// log(sigmoid(x)), as -softplus(-x).
inline Tensor log_sigmoid(const Tensor& x) {
  return op(&log_sigmoid, [](const Tensor& x) {
    return fused([](Expr x) { return -expr::softplus(-x); }, x);
  }, x);
}

/// x * tanh(softplus(x)), https://arxiv.org/abs/1908.08681.
inline Tensor mish(const Tensor& x) {
  return fused([](Expr x) { return x * expr::tanh(expr::softplus(x)); }, x);
}

// --- the rest: nn.cpp ----------------------------------------------------------------------------------

/// exp(x) / sum(exp(x)) along an axis.
Tensor softmax(const Tensor& x, int64_t axis = -1);
/// log(softmax(x)) without loss of precision.
Tensor log_softmax(const Tensor& x, int64_t axis = -1);
/// A new last axis (or `axis`) of size num_classes with a one at x's value; all zeros where x is out of range.
Tensor one_hot(const Tensor& x, int64_t num_classes, int64_t axis = -1, DType dtype = DType::float32);

/// "valid": none; "same": as many outputs as inputs / stride, rounded up.
enum class Padding : uint8_t { valid, same };
Padding padding_of(const std::string& name);

/// x (n, spatial..., ci), kernel (spatial..., ci / groups, co) -> (n, spatial..., co), 1 to 3 spatial axes.
/// With data_format "channels_first" x and the result are (n, c, spatial...).
Tensor conv(const Tensor& x, const Tensor& kernel, const std::vector<int64_t>& strides = {1},
            const std::string& padding = "valid", const std::string& data_format = "channels_last",
            const std::vector<int64_t>& dilation_rate = {1});
/// Maximum (or mean, padding not counted) of windows; shapes as conv.
Tensor max_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                const std::optional<std::vector<int64_t>>& strides = {}, const std::string& padding = "valid",
                const std::string& data_format = "channels_last");
Tensor average_pool(const Tensor& x, const std::vector<int64_t>& pool_size,
                    const std::optional<std::vector<int64_t>>& strides = {},
                    const std::string& padding = "valid", const std::string& data_format = "channels_last");

/// Crossentropies of rows. `target` are probabilities of `output`'s shape, or class numbers (sparse); `output`
/// are probabilities (normalised and clipped by 1e-7 as in Keras) or, with from_logits, unnormalised.
Tensor categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false,
                                int64_t axis = -1);
Tensor sparse_categorical_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false,
                                       int64_t axis = -1);
/// Elementwise.
Tensor binary_crossentropy(const Tensor& target, const Tensor& output, bool from_logits = false);

/// Mean and variance over axes; float16 and bfloat16 are computed in float32.
std::pair<Tensor, Tensor> moments(const Tensor& x, const Axes& axes, bool keepdims = false);

/// Sizes of padding before and after each spatial axis for "same".
std::pair<int64_t, int64_t> same_padding(int64_t size, int64_t window, int64_t stride, int64_t dilation);

void list_nn(OpCatalog& catalog);

}  // namespace ops
}  // namespace cornu
