// Activations: each is one elementwise program, which gives its kernel, its derivative and its part
// in fusion.
#include "activations.h"

#include "../catalog.h"
#include "../convert.h"
#include "../elementwise.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

// A setting of an activation as an operand: a number, or a tensor that broadcasts.
Tensor operand(const Value& v) { return detail::from_value<Tensor>(v); }

}  // namespace

Tensor relu6(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&relu6, x);
  return fused_in<backend::Domain::numeric>(
      [](Expr x) { return expr::select(x >= 6.0, 6.0, expr::relu(x)); }, x);
}

Tensor leaky_relu(const Tensor& x, const Value& slope) {
  if (is_symbolic(x)) return symbolic_call(&leaky_relu, x, slope);
  return fused([](Expr x, Expr slope) { return expr::select(x >= 0.0, x, x * slope); }, x,
               operand(slope));
}

Tensor silu(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&silu, x);
  return fused([](Expr x) { return x * expr::sigmoid(x); }, x);
}

Tensor gelu(const Tensor& x, bool approximate) {
  if (is_symbolic(x)) return symbolic_call(&gelu, x, approximate);
  if (!approximate)
    return fused([](Expr x) { return x * 0.5 * (1.0 + expr::erf(x * 0.7071067811865476)); }, x);
  return fused(
      [](Expr x) {
        return x * 0.5 * (1.0 + expr::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
      },
      x);
}

Tensor elu(const Tensor& x, const Value& alpha) {
  if (is_symbolic(x)) return symbolic_call(&elu, x, alpha);
  return fused(
      [](Expr x, Expr a) {
        return expr::select(x > 0.0, x, a * expr::expm1(expr::select(x > 0.0, 0.0, x)));
      },
      x, operand(alpha));
}

Tensor celu(const Tensor& x, const Value& alpha) {
  if (is_symbolic(x)) return symbolic_call(&celu, x, alpha);
  return fused(
      [](Expr x, Expr a) { return expr::relu(x) + a * expr::expm1(expr::minimum(x, 0.0) / a); }, x,
      operand(alpha));
}

Tensor selu(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&selu, x);
  return fused(
      [](Expr x) {
        return 1.0507009873554805 *
               expr::select(x > 0.0, x,
                            1.6732632423543772 * expr::expm1(expr::select(x > 0.0, 0.0, x)));
      },
      x);
}

Tensor softsign(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&softsign, x);
  return fused([](Expr x) { return x / (1.0 + expr::absolute(x)); }, x);
}

Tensor hard_sigmoid(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&hard_sigmoid, x);
  return fused([](Expr x) { return expr::select(x + 3.0 >= 6.0, 6.0, expr::relu(x + 3.0)) / 6.0; },
               x);
}

Tensor hard_silu(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&hard_silu, x);
  return fused(
      [](Expr x) { return x * (expr::select(x + 3.0 >= 6.0, 6.0, expr::relu(x + 3.0)) / 6.0); }, x);
}

Tensor log_sigmoid(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&log_sigmoid, x);
  return fused([](Expr x) { return -expr::softplus(-x); }, x);
}

Tensor mish(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&mish, x);
  return fused([](Expr x) { return x * expr::tanh(expr::softplus(x)); }, x);
}

Tensor hard_tanh(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&hard_tanh, x);
  return fused_in<backend::Domain::numeric>(
      [](Expr x) { return expr::select(x > 1.0, 1.0, expr::select(x < -1.0, -1.0, x)); }, x);
}

Tensor tanh_shrink(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&tanh_shrink, x);
  return fused([](Expr x) { return x - expr::tanh(x); }, x);
}

Tensor hard_shrink(const Tensor& x, const Value& threshold) {
  if (is_symbolic(x)) return symbolic_call(&hard_shrink, x, threshold);
  return fused_in<backend::Domain::numeric>(
      [](Expr x, Expr t) { return expr::select(expr::absolute(x) > t, x, 0.0); }, x,
      operand(threshold));
}

Tensor soft_shrink(const Tensor& x, const Value& threshold) {
  if (is_symbolic(x)) return symbolic_call(&soft_shrink, x, threshold);
  return fused_in<backend::Domain::numeric>(
      [](Expr x, Expr t) { return expr::select(x > t, x - t, expr::select(x < -t, x + t, 0.0)); },
      x, operand(threshold));
}

Tensor threshold(const Tensor& x, const Value& limit, const Value& otherwise) {
  if (is_symbolic(x)) return symbolic_call(&threshold, x, limit, otherwise);
  return fused_in<backend::Domain::numeric>(
      [](Expr x, Expr t, Expr v) { return expr::select(x > t, x, v); }, x, operand(limit),
      operand(otherwise));
}

Tensor squareplus(const Tensor& x, const Value& b) {
  if (is_symbolic(x)) return symbolic_call(&squareplus, x, b);
  return fused([](Expr x, Expr b) { return (x + expr::sqrt(x * x + b)) * 0.5; }, x, operand(b));
}

Tensor sparse_plus(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&sparse_plus, x);
  return fused(
      [](Expr x) {
        return expr::select(x <= -1.0, 0.0, expr::select(x < 1.0, (x + 1.0) * (x + 1.0) * 0.25, x));
      },
      x);
}

Tensor sparse_sigmoid(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(&sparse_sigmoid, x);
  return fused(
      [](Expr x) {
        return expr::select(x <= -1.0, 0.0, expr::select(x >= 1.0, 1.0, (x + 1.0) * 0.5));
      },
      x);
}

Tensor relu_activation(const Tensor& x, double slope, std::optional<double> limit,
                       double threshold) {
  if (is_symbolic(x)) return symbolic_call(&relu_activation, x, slope, limit, threshold);
  if (threshold == 0 && !limit) return slope == 0 ? relu(x) : leaky_relu(x, slope);
  if (threshold == 0 && slope == 0 && *limit == 6) return relu6(x);
  // At the threshold itself the gradient is 0.
  if (slope == 0) {
    // Integers stay integers, and so do what they are compared with.
    const auto bound = [&](double v) {
      return is_float(x.dtype()) ? Tensor(v) : Tensor(static_cast<int64_t>(v));
    };
    const Tensor y = fused_in<backend::Domain::numeric>(
        [](Expr x, Expr t) { return expr::select(x > t, x, 0.0); }, x, bound(threshold));
    if (!limit) return y;
    return fused_in<backend::Domain::numeric>(
        [](Expr y, Expr m) { return expr::select(y > m, m, expr::relu(y)); }, y, bound(*limit));
  }
  if (!limit)
    return fused_in<backend::Domain::numeric>(
        [](Expr x, Expr s, Expr t) {
          return expr::select(x > t, x, expr::select(x < t, s * (x - t), 0.0));
        },
        x, Tensor(slope), Tensor(threshold));
  return fused_in<backend::Domain::numeric>(
      [](Expr x, Expr s, Expr t, Expr m) {
        const Expr limited = expr::select(x > m, m, expr::relu(x));
        return expr::select(x > t, limited, expr::select(x < t, s * (x - t), 0.0));
      },
      x, Tensor(slope), Tensor(threshold), Tensor(*limit));
}

Tensor gelu_activation(const Tensor& x, bool approximate) { return gelu(x, approximate); }

Tensor linear(const Tensor& x) {
  if (is_symbolic(x)) return symbolic_call(static_cast<Tensor (*)(const Tensor&)>(&linear), x);
  return x;
}

void list_nn_activations(OpCatalog& catalog) {
  catalog.add("nn.Relu6", {"x"}, &relu6);
  catalog.add("nn.LeakyRelu", {"x", "negative_slope=0.2"}, &leaky_relu);
  catalog.add("nn.Silu", {"x"}, &silu);
  catalog.add("nn.Gelu", {"x", "approximate=True"}, &gelu);
  catalog.add("nn.Elu", {"x", "alpha=1.0"}, &elu);
  catalog.add("nn.Celu", {"x", "alpha=1.0"}, &celu);
  catalog.add("nn.Selu", {"x"}, &selu);
  catalog.add("nn.Softsign", {"x"}, &softsign);
  catalog.add("nn.HardSigmoid", {"x"}, &hard_sigmoid);
  catalog.add("nn.HardSilu", {"x"}, &hard_silu);
  catalog.add("nn.HardTanh", {"x"}, &hard_tanh);
  catalog.add("nn.LogSigmoid", {"x"}, &log_sigmoid);
  catalog.add("nn.TanhShrink", {"x"}, &tanh_shrink);
  catalog.add("nn.HardShrink", {"x", "threshold=0.5"}, &hard_shrink);
  catalog.add("nn.SoftShrink", {"x", "threshold=0.5"}, &soft_shrink);
  catalog.add("nn.Threshold", {"x", "threshold", "default_value"}, &threshold);
  catalog.add("nn.Squareplus", {"x", "b=4"}, &squareplus);
  catalog.add("nn.SparsePlus", {"x"}, &sparse_plus);
  catalog.add("nn.SparseSigmoid", {"x"}, &sparse_sigmoid);
  catalog.add("activations.ReLU", {"x", "negative_slope=0.0", "max_value=None", "threshold=0.0"},
              &relu_activation);
  catalog.add("activations.Gelu", {"x", "approximate=False"}, &gelu_activation);
  catalog.add("activations.Mish", {"x"}, &mish);
  catalog.add("activations.Exponential", {"x"}, &exp);
  catalog.add("activations.Linear", {"x"}, static_cast<Tensor (*)(const Tensor&)>(&linear));
}

}  // namespace cornu::ops
