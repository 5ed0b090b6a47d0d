// Distributions that take several draws for one number, and random orders; equal to those of Keras
// on JAX for the same seed.
#pragma once
#include <concepts>
#include <optional>

#include "seed.h"

namespace cornu::random {

/// Gamma distribution of shape `alpha` > 0 (broadcasts to `shape`) and rate 1. Source: Marsaglia
/// and Tsang, "A simple method for generating gamma variables", 2000. No gradient passes to alpha.
/// Throws ValueError for a dtype that is no float.
Tensor gamma(const Shape& shape, const Tensor& alpha, const Seed& seed,
             DTypeName dtype = config::default_dtype());
/// Beta distribution, in [0, 1]; alpha and beta > 0 broadcast to `shape`. From the logarithms of
/// two draws of gamma, so that small parameters do not underflow. No gradient passes.
Tensor beta(const Shape& shape, const Tensor& alpha, const Tensor& beta, const Seed& seed,
            DTypeName dtype = config::default_dtype());
/// The numbers from 0 to n - 1 in a random order, int32 (n).
Tensor permutation(int64_t n, const Seed& seed);
/// x with its slices along `axis` in an order that is drawn for each lane of its own.
Tensor shuffle(const Tensor& x, const Seed& seed, int64_t axis = 0);

/// @{
/// The same with Keras's order of arguments; without a seed one is chosen, see Seed::fresh.
inline Tensor gamma(const Shape& shape, const Tensor& alpha, OptionalDType dtype = {},
                    std::optional<Seed> seed = {}) {
  return gamma(shape, alpha, seed ? *seed : Seed::fresh(), dtype.value_or(config::default_dtype()));
}
inline Tensor beta(const Shape& shape, const Tensor& alpha, const Tensor& beta,
                   OptionalDType dtype = {}, std::optional<Seed> seed = {}) {
  return random::beta(shape, alpha, beta, seed ? *seed : Seed::fresh(),
                      dtype.value_or(config::default_dtype()));
}
inline Tensor shuffle(const Tensor& x, int64_t axis = 0, std::optional<Seed> seed = {}) {
  return shuffle(x, seed ? *seed : Seed::fresh(), axis);
}
template <std::integral A, std::integral S>
Tensor shuffle(const Tensor& x, A axis, S seed) {
  return shuffle(x, Seed(static_cast<int64_t>(seed)), static_cast<int64_t>(axis));
}
/// @}

}  // namespace cornu::random
