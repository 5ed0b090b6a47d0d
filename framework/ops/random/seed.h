// Seeds: what random numbers are drawn with. Nothing draws from a stream that the whole process
// shares, unless set_seed makes one.
#pragma once
#include "../../dispatch/variable.h"

namespace cornu {

/// A source of seeds with a state of its own. Each `next` gives another key; the same seed gives
/// the same keys.
class SeedGenerator {
 public:
  /// Without a seed one is chosen: from the stream of random::set_seed if the user has started it,
  /// else by the operating system.
  explicit SeedGenerator(std::optional<int64_t> seed = {});
  /// The key (uint32, shape (2)) to draw with now; the state moves on, except during shape
  /// inference.
  Tensor next();
  int64_t seed() const { return seed_; }  ///< the one given or chosen

  /// The state: two uint32.
  Variable& state() { return state_; }

 private:
  int64_t seed_;
  Variable state_;
};
class Seed;
/// What a random function draws with: a number (the same draw each time), or a SeedGenerator.
class Seed {
 public:
  /// Of a number: the same key each time.
  Seed(int64_t seed);
  /// The same.
  Seed(int seed) : Seed(static_cast<int64_t>(seed)) {}
  /// The generator's next key.
  Seed(SeedGenerator& generator) : key_(generator.next()) {}
  /// Chosen now; each call draws other numbers. Once random::set_seed was called, they come from a
  /// generator that all such draws share, as in Keras; else from the operating system.
  static Seed fresh();

  const Tensor& key() const { return key_; }  ///< uint32, shape (2)

 private:
  Tensor key_;
};

}  // namespace cornu

namespace cornu::random {

/// Starts a stream from which every object without a seed of its own takes one, so that a whole
/// program repeats.
void set_seed(int64_t seed);
/// Ends that stream: seeds that nobody gave come from the operating system again.
void forget_seed();
/// A seed for an object that was given none.
int64_t default_seed();
/// A seed for an order of samples, from a stream of its own that set_seed starts as well: weights
/// that are made after a shuffle begin as if there had been none.
int64_t shuffle_seed();
/// While one lives, objects that this thread makes get a seed of 0 instead of one from the stream,
/// which stays as it is: for objects that draw nothing.
class StillScope {
 public:
  StillScope();
  ~StillScope();
  StillScope(const StillScope&) = delete;
};
/// A number from 0 to n - 1 that the host picks: from the stream of random::set_seed as Python's
/// random.choice picks from n things, else by the operating system. A compiled function keeps it.
int64_t host_choice(int64_t n);

}  // namespace cornu::random
