// Random tensors from explicit seeds: JAX's threefry, as Keras draws on its JAX backend.
#pragma once
#include <optional>

#include "seed.h"

namespace cornu::random {

/// Uniform in [minval, maxval).
Tensor uniform(const Shape& shape, double minval, double maxval, const Seed& seed,
               DTypeName dtype = config::default_dtype());
/// Normal, of this mean and standard deviation.
Tensor normal(const Shape& shape, double mean, double stddev, const Seed& seed,
              DTypeName dtype = config::default_dtype());
/// Normal, with draws beyond two standard deviations replaced.
Tensor truncated_normal(const Shape& shape, double mean, double stddev, const Seed& seed,
                        DTypeName dtype = config::default_dtype());
/// Integers in [minval, maxval).
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, const Seed& seed,
               DTypeName dtype = DType::int32);
/// Bools that hold with probability p.
Tensor bernoulli(const Shape& shape, double p, const Seed& seed);
/// x with a fraction `rate` of its elements set to 0 and the others divided by 1 - rate. Axes where
/// noise_shape is 1 share a draw.
Tensor dropout(const Tensor& x, double rate, const Seed& seed,
               const std::optional<Shape>& noise_shape = {});

/// @{
/// The same with Keras's order and defaults of arguments; without a seed one is chosen, see
/// Seed::fresh.
inline Tensor uniform(const Shape& shape, double minval = 0, double maxval = 1,
                      OptionalDType dtype = {}, std::optional<Seed> seed = {}) {
  return uniform(shape, minval, maxval, seed ? *seed : Seed::fresh(),
                 dtype.value_or(config::default_dtype()));
}
inline Tensor normal(const Shape& shape, double mean = 0, double stddev = 1,
                     OptionalDType dtype = {}, std::optional<Seed> seed = {}) {
  return normal(shape, mean, stddev, seed ? *seed : Seed::fresh(),
                dtype.value_or(config::default_dtype()));
}
inline Tensor truncated_normal(const Shape& shape, double mean = 0, double stddev = 1,
                               OptionalDType dtype = {}, std::optional<Seed> seed = {}) {
  return truncated_normal(shape, mean, stddev, seed ? *seed : Seed::fresh(),
                          dtype.value_or(config::default_dtype()));
}
inline Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, OptionalDType dtype = {},
                      std::optional<Seed> seed = {}) {
  return randint(shape, minval, maxval, seed ? *seed : Seed::fresh(), dtype.value_or(DType::int32));
}
inline Tensor dropout(const Tensor& x, double rate, const std::optional<Shape>& noise_shape = {},
                      std::optional<Seed> seed = {}) {
  return dropout(x, rate, seed ? *seed : Seed::fresh(), noise_shape);
}
/// A number alone is the seed.
template <std::integral S>
Tensor dropout(const Tensor& x, double rate, S seed) {
  return dropout(x, rate, Seed(static_cast<int64_t>(seed)));
}
/// @}

}  // namespace cornu::random
