// Permutation: an order of the numbers below n in which any place is found without the others.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

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

/// The order of an epoch's samples: a Permutation, or for up to 65,536 numbers one that gives every
/// order the same chance, sorted out when it is made.
class RandomOrder {
 public:
  /// Of the numbers below n, at least 1 and at most 2^62. Throws ValueError otherwise.
  RandomOrder(int64_t n, int64_t seed, int64_t epoch);
  /// The number at `place`, which is in [0, n).
  int64_t operator[](int64_t place) const {
    return sorted_.empty() ? (*permutation_)[place] : sorted_[static_cast<size_t>(place)];
  }
  /// All numbers where they were sorted out; empty beyond 65,536.
  const std::vector<int32_t>& sorted() const { return sorted_; }

 private:
  std::vector<int32_t> sorted_;
  std::optional<Permutation> permutation_;
};

/// The orders that were asked for last, for several threads.
class RecentOrders {
 public:
  /// As RandomOrder(n, seed, epoch).
  std::shared_ptr<const RandomOrder> get(int64_t n, int64_t seed, int64_t epoch);

 private:
  struct Known {
    int64_t n = 0, seed = 0, epoch = 0;
    std::shared_ptr<const RandomOrder> order;
  };
  std::mutex mutex_;
  std::array<Known, 4> known_;
  size_t next_ = 0;
};

}  // namespace cornu
