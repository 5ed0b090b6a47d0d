// Distributions that take several draws for one number, and random orders; equal to those of Keras
// on JAX for the same seed.
#pragma once
#include "seed.h"

namespace cornu::random {

/// Gamma distribution of shape `alpha` > 0 (broadcasts to `shape`) and rate 1. Source: Marsaglia
/// and Tsang, "A simple method for generating gamma variables", 2000. No gradient passes to alpha.
/// Throws ValueError for a dtype that is no float.
Tensor gamma(const Shape& shape, const Tensor& alpha, const Seed& seed,
             DType dtype = DType::float32);
/// Beta distribution, in [0, 1]; alpha and beta > 0 broadcast to `shape`. From the logarithms of
/// two draws of gamma, so that small parameters do not underflow. No gradient passes.
Tensor beta(const Shape& shape, const Tensor& alpha, const Tensor& beta, const Seed& seed,
            DType dtype = DType::float32);
/// The numbers from 0 to n - 1 in a random order, int32 (n).
Tensor permutation(int64_t n, const Seed& seed);
/// x with its slices along `axis` in an order that is drawn for each lane of its own.
Tensor shuffle(const Tensor& x, const Seed& seed, int64_t axis = 0);

}  // namespace cornu::random
