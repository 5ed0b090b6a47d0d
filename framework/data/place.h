// Place: where in a run a sample stands, and the random numbers that follow from it alone.
#pragma once
#include <cstdint>
#include <stop_token>

#include "../../backend/random_bits.h"

namespace cornu::data {

/// A stream of random numbers that its key determines: copies go on alike. Counter based
/// (threefry2x32, backend/random_bits.h), so that making one costs next to nothing.
class Random {
 public:
  /// The stream of that key, from its start.
  explicit Random(backend::Key key) : key_(key) {}

  /// 64 random bits.
  uint64_t bits() { return backend::bits64_at(key_, next_++); }
  /// Uniform in [low, high), 53 bits fine; `low` where both are equal.
  double uniform(double low = 0, double high = 1);
  /// A whole number in [0, count); count is at least 1.
  int64_t below(int64_t count);
  /// True with this probability.
  bool happens(double probability) { return uniform() < probability; }
  /// Standard normal (Box and Muller, 1958).
  double normal();
  /// From the gamma distribution of this shape and scale 1 (Marsaglia and Tsang, 2000).
  double gamma(double shape);
  /// From the beta distribution.
  double beta(double a, double b);
  /// The key of another stream, for kernels that draw many numbers.
  backend::Key key();

 private:
  backend::Key key_;
  uint64_t next_ = 0;
};

/// The place of a sample in a run. Every random draw for the sample is a function of it, so that it
/// does not matter which worker makes the sample, or whether the run was resumed in between.
struct Place {
  int64_t seed = 0;   ///< of the run
  int64_t epoch = 0;  ///< from 0
  int64_t index = 0;  ///< of the sample in its epoch's source, from 0
  /// Set when nobody wants the sample any more: a function that takes long looks at
  /// `stop.stop_requested()` and returns early.
  std::stop_token stop = {};

  /// The random numbers of this place. Streams of other numbers are independent: a stage takes one
  /// of its own.
  Random random(uint64_t stream = 0) const;
};

}  // namespace cornu::data
