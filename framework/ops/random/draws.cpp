// Draws as kernels.
#include "draws.h"

#include <fmt/core.h>

#include "../../../backend/random_bits.h"
#include "../../dispatch/apply.h"
#include "../elementwise.h"
#include "../numpy/reduction.h"
#include "../operators.h"
#include "seed.h"

namespace cornu {

namespace {

Tensor draw(const Shape& shape, DType dtype, const Seed& seed, backend::Distribution distribution,
            double low, double high) {
  return apply(backend::Random{distribution, low, high}, {seed.key()}, TensorSpec{shape, dtype});
}

void check_float(DType dtype, const char* name) {
  if (!is_float(dtype))
    throw ValueError(
        fmt::format("random::{}: dtype must be a float, found {}.", name, dtype_name(dtype)));
}

}  // namespace

}  // namespace cornu

namespace cornu::random {

Tensor uniform(const Shape& shape, double minval, double maxval, const Seed& seed,
               DTypeName dtype) {
  check_float(dtype, "uniform");
  return draw(shape, dtype, seed, backend::Distribution::uniform, minval, maxval);
}

Tensor normal(const Shape& shape, double mean, double stddev, const Seed& seed, DTypeName dtype) {
  check_float(dtype, "normal");
  return draw(shape, dtype, seed, backend::Distribution::normal, mean, stddev);
}

Tensor truncated_normal(const Shape& shape, double mean, double stddev, const Seed& seed,
                        DTypeName dtype) {
  check_float(dtype, "truncated_normal");
  return draw(shape, dtype, seed, backend::Distribution::truncated_normal, mean, stddev);
}

Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, const Seed& seed,
               DTypeName dtype) {
  if (!is_int(dtype))
    throw ValueError(
        fmt::format("random::randint: dtype must be an integer, found {}.", dtype_name(dtype)));
  return draw(shape, dtype, seed, backend::Distribution::randint, static_cast<double>(minval),
              static_cast<double>(maxval));
}

Tensor bernoulli(const Shape& shape, double p, const Seed& seed) {
  return draw(shape, DType::boolean, seed, backend::Distribution::bernoulli, p, 0);
}

Tensor dropout(const Tensor& x, double rate, const Seed& seed,
               const std::optional<Shape>& noise_shape) {
  if (!(rate >= 0 && rate <= 1))
    throw ValueError(fmt::format("random::dropout: rate must be in [0, 1], found {}.", rate));
  if (rate == 0) return x;
  if (rate == 1) return x * 0.0;
  const Tensor keep = bernoulli(noise_shape.value_or(x.shape()), 1 - rate, seed);
  // Keras on JAX multiplies by the rounded reciprocal, except that bfloat16 is divided.
  if (x.dtype() == DType::bfloat16)
    return fused([](Expr x, Expr keep, Expr share) { return expr::select(keep, x / share, 0.0); },
                 x, keep, Tensor(1 - rate));
  const double scale =
      x.dtype() == DType::float64 ? 1 / (1 - rate) : 1.0f / static_cast<float>(1 - rate);
  return fused([](Expr x, Expr keep, Expr scale) { return expr::select(keep, x * scale, 0.0); }, x,
               keep, Tensor(scale));
}

}  // namespace cornu::random
