// Activations: each is one elementwise program, which gives its kernel, its derivative and its part
// in fusion. A new one is a function here and a line in list_activations.
#pragma once
#include "../elementwise.h"

namespace cornu {
namespace detail {

/// `fused` that leaves integers integers.
template <class F, class... T>
Tensor fused_numeric(F, const T&... tensors) {
  static const backend::ProgramRef program =
      backend::Program::make(sizeof...(T), [](const std::vector<backend::Expr>& x) {
        F f;
        return expand(f, x, std::index_sequence_for<T...>());
      });
  const Tensor inputs[] = {tensors...};
  return apply_fused(program, backend::Domain::numeric, inputs, "fused");
}

/// A setting of an activation as an operand: a number, or a tensor that broadcasts.
inline Tensor operand(const Value& v) { return from_value<Tensor>(v); }

}  // namespace detail

namespace ops {

/// max(x, 0) limited to 6.
inline Tensor relu6(const Tensor& x) {
  return op(
      &relu6,
      [](const Tensor& x) {
        return detail::fused_numeric(
            [](Expr x) { return expr::select(x >= 6.0, 6.0, expr::relu(x)); }, x);
      },
      x);
}

/// x where positive, else negative_slope * x.
inline Tensor leaky_relu(const Tensor& x, const Value& negative_slope = 0.2) {
  return op(
      &leaky_relu,
      [](const Tensor& x, const Value& slope) {
        return fused([](Expr x, Expr slope) { return expr::select(x >= 0.0, x, x * slope); }, x,
                     detail::operand(slope));
      },
      x, negative_slope);
}

/// x * sigmoid(x), https://arxiv.org/abs/1702.03118.
inline Tensor silu(const Tensor& x) {
  return op(
      &silu, [](const Tensor& x) { return fused([](Expr x) { return x * expr::sigmoid(x); }, x); },
      x);
}

/// x times the standard normal's distribution function at x, https://arxiv.org/abs/1606.08415; the
/// approximation uses tanh.
inline Tensor gelu(const Tensor& x, bool approximate = true) {
  return op(
      &gelu,
      [](const Tensor& x, bool approximate) {
        if (!approximate)
          return fused([](Expr x) { return x * 0.5 * (1.0 + expr::erf(x * 0.7071067811865476)); },
                       x);
        return fused(
            [](Expr x) {
              return x * 0.5 * (1.0 + expr::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
            },
            x);
      },
      x, approximate);
}

/// x where positive, else alpha * (exp(x) - 1), https://arxiv.org/abs/1511.07289.
inline Tensor elu(const Tensor& x, const Value& alpha = 1.0) {
  return op(
      &elu,
      [](const Tensor& x, const Value& alpha) {
        return fused(
            [](Expr x, Expr a) {
              return expr::select(x > 0.0, x, a * expr::expm1(expr::select(x > 0.0, 0.0, x)));
            },
            x, detail::operand(alpha));
      },
      x, alpha);
}

/// max(x, 0) + alpha * (exp(min(x, 0) / alpha) - 1), https://arxiv.org/abs/1704.07483.
inline Tensor celu(const Tensor& x, const Value& alpha = 1.0) {
  return op(
      &celu,
      [](const Tensor& x, const Value& alpha) {
        return fused(
            [](Expr x, Expr a) {
              return expr::relu(x) + a * expr::expm1(expr::minimum(x, 0.0) / a);
            },
            x, detail::operand(alpha));
      },
      x, alpha);
}

/// Scaled elu that keeps unit variance, https://arxiv.org/abs/1706.02515.
inline Tensor selu(const Tensor& x) {
  return op(
      &selu,
      [](const Tensor& x) {
        return fused(
            [](Expr x) {
              return 1.0507009873554805 *
                     expr::select(x > 0.0, x,
                                  1.6732632423543772 * expr::expm1(expr::select(x > 0.0, 0.0, x)));
            },
            x);
      },
      x);
}

/// x / (1 + |x|).
inline Tensor softsign(const Tensor& x) {
  return op(
      &softsign,
      [](const Tensor& x) {
        return fused([](Expr x) { return x / (1.0 + expr::absolute(x)); }, x);
      },
      x);
}

/// x limited: 0 below -3, 1 above 3, x / 6 + 1/2 between.
inline Tensor hard_sigmoid(const Tensor& x) {
  return op(
      &hard_sigmoid,
      [](const Tensor& x) {
        return fused(
            [](Expr x) { return expr::select(x + 3.0 >= 6.0, 6.0, expr::relu(x + 3.0)) / 6.0; }, x);
      },
      x);
}

/// x * hard_sigmoid(x).
inline Tensor hard_silu(const Tensor& x) {
  return op(
      &hard_silu,
      [](const Tensor& x) {
        return fused(
            [](Expr x) {
              return x * (expr::select(x + 3.0 >= 6.0, 6.0, expr::relu(x + 3.0)) / 6.0);
            },
            x);
      },
      x);
}

/// log(sigmoid(x)), as -softplus(-x).
inline Tensor log_sigmoid(const Tensor& x) {
  return op(
      &log_sigmoid,
      [](const Tensor& x) { return fused([](Expr x) { return -expr::softplus(-x); }, x); }, x);
}

/// x * tanh(softplus(x)), https://arxiv.org/abs/1908.08681.
inline Tensor mish(const Tensor& x) {
  return op(
      &mish,
      [](const Tensor& x) {
        return fused([](Expr x) { return x * expr::tanh(expr::softplus(x)); }, x);
      },
      x);
}

/// x limited to [-1, 1].
inline Tensor hard_tanh(const Tensor& x) {
  return op(
      &hard_tanh,
      [](const Tensor& x) {
        return detail::fused_numeric(
            [](Expr x) { return expr::select(x > 1.0, 1.0, expr::select(x < -1.0, -1.0, x)); }, x);
      },
      x);
}

/// x - tanh(x).
inline Tensor tanh_shrink(const Tensor& x) {
  return op(
      &tanh_shrink,
      [](const Tensor& x) { return fused([](Expr x) { return x - expr::tanh(x); }, x); }, x);
}

/// x where |x| exceeds the threshold, else 0.
inline Tensor hard_shrink(const Tensor& x, const Value& threshold = 0.5) {
  return op(
      &hard_shrink,
      [](const Tensor& x, const Value& threshold) {
        return detail::fused_numeric(
            [](Expr x, Expr t) { return expr::select(expr::absolute(x) > t, x, 0.0); }, x,
            detail::operand(threshold));
      },
      x, threshold);
}

/// x moved towards 0 by the threshold, and 0 where |x| does not exceed it.
inline Tensor soft_shrink(const Tensor& x, const Value& threshold = 0.5) {
  return op(
      &soft_shrink,
      [](const Tensor& x, const Value& threshold) {
        return detail::fused_numeric(
            [](Expr x, Expr t) {
              return expr::select(x > t, x - t, expr::select(x < -t, x + t, 0.0));
            },
            x, detail::operand(threshold));
      },
      x, threshold);
}

/// x where it exceeds the threshold, else default_value.
inline Tensor threshold(const Tensor& x, const Value& threshold_value, const Value& default_value) {
  return op(
      &threshold,
      [](const Tensor& x, const Value& threshold, const Value& otherwise) {
        return detail::fused_numeric(
            [](Expr x, Expr t, Expr v) { return expr::select(x > t, x, v); }, x,
            detail::operand(threshold), detail::operand(otherwise));
      },
      x, threshold_value, default_value);
}

/// (x + sqrt(x^2 + b)) / 2, a smooth rectifier: https://arxiv.org/abs/2112.11687.
inline Tensor squareplus(const Tensor& x, const Value& b = 4) {
  return op(
      &squareplus,
      [](const Tensor& x, const Value& b) {
        return fused([](Expr x, Expr b) { return (x + expr::sqrt(x * x + b)) * 0.5; }, x,
                     detail::operand(b));
      },
      x, b);
}

/// 0 up to -1, x from 1 on, (x + 1)^2 / 4 between.
inline Tensor sparse_plus(const Tensor& x) {
  return op(
      &sparse_plus,
      [](const Tensor& x) {
        return fused(
            [](Expr x) {
              return expr::select(x <= -1.0, 0.0,
                                  expr::select(x < 1.0, (x + 1.0) * (x + 1.0) * 0.25, x));
            },
            x);
      },
      x);
}

/// 0 up to -1, 1 from 1 on, (x + 1) / 2 between: the derivative of sparse_plus.
inline Tensor sparse_sigmoid(const Tensor& x) {
  return op(
      &sparse_sigmoid,
      [](const Tensor& x) {
        return fused(
            [](Expr x) {
              return expr::select(x <= -1.0, 0.0, expr::select(x >= 1.0, 1.0, (x + 1.0) * 0.5));
            },
            x);
      },
      x);
}

/// Keras's activation relu with its settings: x limited to max_value where it is at least
/// `threshold`, else negative_slope * (x - threshold).
inline Tensor relu_activation(const Tensor& x, double negative_slope = 0,
                              std::optional<double> max_value = {}, double threshold = 0) {
  return op(
      &relu_activation,
      [](const Tensor& x, double slope, std::optional<double> limit, double threshold) {
        if (threshold == 0 && !limit) return slope == 0 ? relu(x) : leaky_relu(x, slope);
        if (threshold == 0 && slope == 0 && *limit == 6) return relu6(x);
        // At the threshold itself the gradient is 0.
        if (slope == 0) {
          // Integers stay integers, and so do what they are compared with.
          const auto bound = [&](double v) {
            return is_float(x.dtype()) ? Tensor(v) : Tensor(static_cast<int64_t>(v));
          };
          const Tensor y = detail::fused_numeric(
              [](Expr x, Expr t) { return expr::select(x > t, x, 0.0); }, x, bound(threshold));
          if (!limit) return y;
          return detail::fused_numeric(
              [](Expr y, Expr m) { return expr::select(y > m, m, expr::relu(y)); }, y,
              bound(*limit));
        }
        if (!limit)
          return detail::fused_numeric(
              [](Expr x, Expr s, Expr t) {
                return expr::select(x > t, x, expr::select(x < t, s * (x - t), 0.0));
              },
              x, Tensor(slope), Tensor(threshold));
        return detail::fused_numeric(
            [](Expr x, Expr s, Expr t, Expr m) {
              const Expr limited = expr::select(x > m, m, expr::relu(x));
              return expr::select(x > t, limited, expr::select(x < t, s * (x - t), 0.0));
            },
            x, Tensor(slope), Tensor(threshold), Tensor(*limit));
      },
      x, negative_slope, max_value, threshold);
}

/// Keras's activation gelu: exact unless told otherwise, unlike the op of that name.
inline Tensor gelu_activation(const Tensor& x, bool approximate = false) {
  return gelu(x, approximate);
}

/// Lists them under their Keras names in a catalog (an OpCatalog), so that graphs and files can
/// hold them.
template <class C>
void list_activations(C& catalog) {
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
  catalog.add("activations.Linear", {"x"}, &unchanged);
}

}  // namespace ops
}  // namespace cornu
