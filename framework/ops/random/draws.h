// Random tensors from explicit seeds: JAX's threefry, as Keras draws on its JAX backend.
#pragma once
#include "seed.h"

namespace cornu::random {

/// Uniform in [minval, maxval).
Tensor uniform(const Shape& shape, double minval, double maxval, const Seed& seed,
               DType dtype = DType::float32);
/// Normal, of this mean and standard deviation.
Tensor normal(const Shape& shape, double mean, double stddev, const Seed& seed,
              DType dtype = DType::float32);
/// Normal, with draws beyond two standard deviations replaced.
Tensor truncated_normal(const Shape& shape, double mean, double stddev, const Seed& seed,
                        DType dtype = DType::float32);
/// Integers in [minval, maxval).
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, const Seed& seed,
               DType dtype = DType::int32);
/// Bools that hold with probability p.
Tensor bernoulli(const Shape& shape, double p, const Seed& seed);
/// x with a share `rate` of its elements set to 0 and the others divided by 1 - rate. Axes where
/// noise_shape is 1 share a draw.
Tensor dropout(const Tensor& x, double rate, const Seed& seed,
               const std::optional<Shape>& noise_shape = {});

}  // namespace cornu::random
