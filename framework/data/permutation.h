// Permutation: an order of the numbers below n in which any place is found without the others.
#pragma once
#include <array>
#include <cstdint>

namespace cornu {

/// A random order of 0, ..., n - 1 that follows from (seed, epoch) alone and takes no memory: a
/// Feistel network over the next power of four, whose steps outside of the range are walked on
/// (Black and Rogaway, "Ciphers with Arbitrary Finite Domains", 2002).
class Permutation {
 public:
  /// Of the numbers below n, at least 1 and at most 2^62. Throws ValueError otherwise.
  Permutation(int64_t n, int64_t seed, int64_t epoch);
  /// The number at `place`, which is in [0, n).
  int64_t operator[](int64_t place) const;

 private:
  uint64_t permuted(uint64_t x) const;

  uint64_t n_;
  int half_bits_ = 1;
  std::array<uint64_t, 6> keys_;
};

}  // namespace cornu
