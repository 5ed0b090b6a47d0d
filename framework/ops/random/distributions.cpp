// Distributions by rejection, and orders by sorting draws.
#include "distributions.h"

#include <fmt/core.h>

#include <cmath>
#include <type_traits>

#include "../../../backend/random_bits.h"
#include "../../dispatch/apply.h"
#include "../core/cast.h"
#include "../elementwise.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/products.h"
#include "../operators.h"
#include "seed.h"

namespace cornu::random {

namespace {

using backend::Key;

template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

float widened(float x) { return x; }

double widened(double x) { return x; }

float widened(Half x) { return half_to_float(x.bits); }

float widened(BFloat16 x) { return bfloat16_to_float(x.bits); }

template <class T>
Wide<T> draw_normal(Key key) {
  T x;
  backend::fill_normal<T>(key, 0, std::span<T>(&x, 1));
  return widened(x);
}

template <class T>
Wide<T> draw_uniform(Key key) {
  T x;
  backend::fill_uniform<T>(key, 0, std::span<T>(&x, 1));
  return widened(x);
}

// One draw of gamma, or its logarithm. Below 1, alpha is raised by 1 and the draw multiplied by a
// uniform number to the power of 1 / alpha. Which keys are split when is part of the result.
template <class T>
Wide<T> gamma_one(Key key, Wide<T> alpha, bool logarithm) {
  using C = Wide<T>;
  const bool boosted = alpha < C(1);
  const C d = (boosted ? alpha + C(1) : alpha) - C(1) / C(3);
  const C c = (C(1) / C(3)) / std::sqrt(d);
  const auto [first, boost_key] = backend::split(key);
  key = first;
  C square = 0, cube = 1, u = 2;
  while (u >= C(1) - C(0.0331) * (square * square) &&
         std::log(u) >= square * C(0.5) + d * (C(1) - cube + std::log(cube))) {
    Key walk = backend::split_at(key, 1);
    const Key uniform_key = backend::split_at(key, 2);
    key = backend::split_at(key, 0);
    C x = 0, v = -1;
    while (v <= 0) {
      const auto [next, normal_key] = backend::split(walk);
      walk = next;
      x = draw_normal<T>(normal_key);
      v = C(1) + x * c;
    }
    square = x * x;
    cube = v * v * v;
    u = draw_uniform<T>(uniform_key);
  }
  const C share = draw_uniform<T>(boost_key);
  if (!logarithm) return d * cube * (boosted ? std::pow(C(1) - share, C(1) / alpha) : C(1));
  const C log_share = std::log1p(-share);
  return std::log(d) + std::log(cube) + (boosted && log_share != 0 ? log_share / alpha : C(0));
}

template <class T>
void gamma_all(std::span<const Tensor> in, const Tensor& out, bool logarithm) {
  const auto words = in[0].values<uint32_t>();
  const auto alphas = in[1].values<Wide<T>>();
  auto* y = static_cast<Wide<T>*>(out.data());
  for (size_t i = 0; i < alphas.size(); ++i)
    y[i] = gamma_one<T>(backend::split_at({words[0], words[1]}, i), alphas[i], logarithm);
}

Tensor gamma_of_key(const Shape& shape, const Tensor& alpha, const Tensor& key, DType dtype,
                    bool logarithm) {
  if (!is_float(dtype))
    throw ValueError(
        fmt::format("random::gamma: dtype must be a float, found {}.", dtype_name(dtype)));
  const DType wide = dtype == DType::float64 ? DType::float64 : DType::float32;
  const Tensor inputs[] = {key, ops::broadcast_to(ops::cast(ops::cast(alpha, dtype), wide), shape)};
  const TensorSpec outputs[] = {{shape, wide}};
  const Tensor y = apply_host(
      [dtype, logarithm](std::span<const Tensor> in, std::span<const Tensor> out) {
        switch (dtype) {
          case DType::float64:
            return gamma_all<double>(in, out[0], logarithm);
          case DType::float16:
            return gamma_all<Half>(in, out[0], logarithm);
          case DType::bfloat16:
            return gamma_all<BFloat16>(in, out[0], logarithm);
          default:
            return gamma_all<float>(in, out[0], logarithm);
        }
      },
      inputs, outputs, fmt::format("gamma {} {}", dtype_name(dtype), logarithm))[0];
  return ops::cast(y, dtype);
}

Tensor split_key(const Tensor& key, uint64_t index) {
  const Tensor inputs[] = {key};
  const TensorSpec outputs[] = {{{2}, DType::uint32}};
  return apply_host(
      [index](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto words = in[0].values<uint32_t>();
        const Key half = backend::split_at({words[0], words[1]}, index);
        auto* y = static_cast<uint32_t*>(out[0].data());
        y[0] = half.hi;
        y[1] = half.lo;
      },
      inputs, outputs, fmt::format("split_key {}", index))[0];
}

// Where each element of (outer, axis, inner) comes from, as flat indices.
Tensor sources(int64_t outer, int64_t axis, int64_t inner, const Seed& seed) {
  const Tensor inputs[] = {seed.key()};
  const TensorSpec outputs[] = {{{outer * axis * inner}, DType::int32}};
  return apply_host(
      [=](std::span<const Tensor> in, std::span<const Tensor> out) {
        const auto words = in[0].values<uint32_t>();
        std::vector<int64_t> from(static_cast<size_t>(out[0].size()));
        backend::shuffle_sources({words[0], words[1]}, outer, axis, inner, from);
        auto* y = static_cast<int32_t*>(out[0].data());
        for (size_t i = 0; i < from.size(); ++i) y[i] = static_cast<int32_t>(from[i]);
      },
      inputs, outputs, fmt::format("shuffle {} {} {}", outer, axis, inner))[0];
}

}  // namespace

Tensor gamma(const Shape& shape, const Tensor& alpha, const Seed& seed, DTypeName dtype) {
  return gamma_of_key(shape, alpha, seed.key(), dtype, false);
}

Tensor beta(const Shape& shape, const Tensor& alpha, const Tensor& beta, const Seed& seed,
            DTypeName dtype) {
  const Tensor a = gamma_of_key(shape, alpha, split_key(seed.key(), 0), dtype, true);
  const Tensor b = gamma_of_key(shape, beta, split_key(seed.key(), 1), dtype, true);
  return fused(
      [](Expr a, Expr b) {
        const Expr most = expr::maximum(a, b);
        const Expr first = expr::exp(a - most);
        return first / (first + expr::exp(b - most));
      },
      a, b);
}

Tensor permutation(int64_t n, const Seed& seed) { return sources(1, n, 1, seed); }

Tensor shuffle(const Tensor& x, const Seed& seed, int64_t axis) {
  if (axis < -x.rank() || axis >= x.rank())
    throw ShapeError(
        fmt::format("random::shuffle: axis {} is not one of shape {}.", axis, x.shape().str()));
  const int at = static_cast<int>(axis < 0 ? axis + x.rank() : axis);
  const int64_t outer = x.shape().slice(0, at).numel();
  const int64_t inner = x.shape().slice(at + 1, x.rank()).numel();
  const Tensor order = sources(outer, x.shape()[at], inner, seed);
  return ops::reshape(ops::take(ops::reshape(x, {-1}), order, 0), x.shape());
}

}  // namespace cornu::random
