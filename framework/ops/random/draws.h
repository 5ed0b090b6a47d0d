// Random tensors from explicit seeds: JAX's threefry, as Keras draws on its JAX backend. Nothing here draws from
// a stream that the whole process shares, unless set_seed makes one.
#pragma once
#include <memory>
#include <optional>

#include "../../dispatch/variable.h"

namespace cornu {

/// A source of seeds with a state of its own. Each `next` gives another key; the same seed gives the same keys.
class SeedGenerator {
 public:
  /// Without a seed one is chosen: from the stream of random::set_seed if the user has started it, else by the
  /// operating system.
  explicit SeedGenerator(std::optional<int64_t> seed = {});
  /// The key (uint32, shape (2)) to draw with now; the state moves on, except during shape inference.
  Tensor next();
  int64_t seed() const { return seed_; }
  /// The state: two uint32.
  Variable& state() { return state_; }

 private:
  int64_t seed_;
  Variable state_;
};

/// What a random function draws with: a number (the same draw each time), or a SeedGenerator.
class Seed {
 public:
  Seed(int64_t seed);
  Seed(int seed) : Seed(static_cast<int64_t>(seed)) {}
  Seed(SeedGenerator& generator) : key_(generator.next()) {}
  const Tensor& key() const { return key_; }

 private:
  Tensor key_;
};

namespace random {

/// Starts a stream from which every object without a seed of its own takes one, so that a whole program repeats.
void set_seed(int64_t seed);
/// A seed for an object that was given none.
int64_t default_seed();

/// While one lives, objects that this thread makes get a seed of 0 instead of one from the stream,
/// which stays as it is: for objects that draw nothing.
class StillScope {
 public:
  StillScope();
  ~StillScope();
  StillScope(const StillScope&) = delete;
};

/// Uniform in [minval, maxval).
Tensor uniform(const Shape& shape, double minval, double maxval, const Seed& seed, DType dtype = DType::float32);
Tensor normal(const Shape& shape, double mean, double stddev, const Seed& seed, DType dtype = DType::float32);
/// Normal, with draws beyond two standard deviations replaced.
Tensor truncated_normal(const Shape& shape, double mean, double stddev, const Seed& seed,
                        DType dtype = DType::float32);
/// Integers in [minval, maxval).
Tensor randint(const Shape& shape, int64_t minval, int64_t maxval, const Seed& seed, DType dtype = DType::int32);
/// Bools that hold with probability p.
Tensor bernoulli(const Shape& shape, double p, const Seed& seed);
/// x with a share `rate` of its elements set to 0 and the others divided by 1 - rate. Axes where noise_shape is 1
/// share a draw.
Tensor dropout(const Tensor& x, double rate, const Seed& seed, const std::optional<Shape>& noise_shape = {});

}  // namespace random
}  // namespace cornu
