// Activations: each is one elementwise program, which gives its kernel, its derivative and its part in fusion.
// A new one is a function here and a line in list_activations.
#pragma once
#include "elementwise.h"

namespace cornu::ops {

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

/// Lists them under their Keras names in a catalog (an OpCatalog), so that graphs and files can hold them.
template <class C>
void list_activations(C& catalog) {
  catalog.add("nn.Relu6", {"x"}, &relu6);
  catalog.add("nn.LeakyRelu", {"x", "negative_slope=0.2"}, &leaky_relu);
  catalog.add("nn.Silu", {"x"}, &silu);
  catalog.add("nn.Gelu", {"x", "approximate=True"}, &gelu);
  catalog.add("nn.Elu", {"x", "alpha=1.0"}, &elu);
  catalog.add("nn.Selu", {"x"}, &selu);
  catalog.add("nn.Softsign", {"x"}, &softsign);
  catalog.add("nn.HardSigmoid", {"x"}, &hard_sigmoid);
  catalog.add("nn.HardSilu", {"x"}, &hard_silu);
  catalog.add("nn.LogSigmoid", {"x"}, &log_sigmoid);
}

}  // namespace cornu::ops
