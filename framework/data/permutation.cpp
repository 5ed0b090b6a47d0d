// The rounds of the network.
#include "permutation.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "../../backend/error.h"
#include "../../backend/random_bits.h"

namespace cornu {
namespace {

// The finalizer of MurmurHash3 by Austin Appleby: each bit of the input changes half of the output.
uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  x ^= x >> 33;
  return x;
}

}  // namespace

Permutation::Permutation(int64_t n, int64_t seed, int64_t epoch) : n_(static_cast<uint64_t>(n)) {
  if (n < 1 || n > int64_t{1} << 62)
    throw ValueError(fmt::format("A permutation of {} numbers cannot be made.", n));
  while (half_bits_ < 31 && (uint64_t{1} << (2 * half_bits_)) < n_) ++half_bits_;
  const backend::Key key = backend::fold_in(backend::jax_key(seed), static_cast<uint32_t>(epoch));
  for (size_t round = 0; round < keys_.size(); ++round)
    keys_[round] = backend::bits64_at(key, round);
}

uint64_t Permutation::permuted(uint64_t x) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = x >> half_bits_, right = x & mask;
  for (const uint64_t key : keys_) {
    const uint64_t next = left ^ (mix(right ^ key) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

int64_t Permutation::operator[](int64_t place) const {
  uint64_t x = permuted(static_cast<uint64_t>(place));
  // The range is at least a quarter of the network's, so this ends after four steps on average.
  while (x >= n_) x = permuted(x);
  return static_cast<int64_t>(x);
}

namespace {

constexpr int64_t most_sorted = 1 << 16;

}  // namespace

RandomOrder::RandomOrder(int64_t n, int64_t seed, int64_t epoch) {
  if (n > most_sorted || n < 1) {
    permutation_.emplace(n, seed, epoch);
    return;
  }
  // Sorting random numbers by (seed, epoch, number): an order that depends on nothing else.
  const backend::Key key = backend::fold_in(backend::jax_key(seed), static_cast<uint32_t>(epoch));
  std::vector<std::pair<uint64_t, int32_t>> keyed(static_cast<size_t>(n));
  for (size_t i = 0; i < keyed.size(); ++i)
    keyed[i] = {backend::bits64_at(key, i), static_cast<int32_t>(i)};
  std::sort(keyed.begin(), keyed.end());
  sorted_.resize(keyed.size());
  for (size_t i = 0; i < keyed.size(); ++i) sorted_[i] = keyed[i].second;
}

std::shared_ptr<const RandomOrder> RecentOrders::get(int64_t n, int64_t seed, int64_t epoch) {
  const std::lock_guard lock(mutex_);
  for (const Known& one : known_)
    if (one.order && one.n == n && one.seed == seed && one.epoch == epoch) return one.order;
  Known& place = known_[next_++ % known_.size()];
  place = {n, seed, epoch, std::make_shared<const RandomOrder>(n, seed, epoch)};
  return place.order;
}

}  // namespace cornu
