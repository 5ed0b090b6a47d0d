// MT19937 with the seeding of NumPy and of Python, and their shuffles.
#include "random_state.h"

#include <fmt/core.h>

#include <bit>
#include <numeric>

#include "../../backend/error.h"

namespace cornu::data {

MersenneTwister::MersenneTwister(uint32_t seed) {
  state_[0] = seed;
  for (uint32_t i = 1; i < state_.size(); ++i)
    state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
}

MersenneTwister MersenneTwister::numpy(int64_t seed) {
  if (seed < 0 || seed > 0xffffffff)
    throw ValueError(fmt::format("option 'seed': expected 0 to {}, found {}.", 0xffffffff, seed));
  return MersenneTwister(static_cast<uint32_t>(seed));
}

// init_by_array of the authors' program, with the absolute value's digits of 32 bits as the key.
MersenneTwister MersenneTwister::python(int64_t seed) {
  const uint64_t size = seed < 0 ? 0 - static_cast<uint64_t>(seed) : static_cast<uint64_t>(seed);
  const std::array<uint32_t, 2> key = {static_cast<uint32_t>(size),
                                       static_cast<uint32_t>(size >> 32)};
  const size_t length = key[1] != 0 ? 2 : 1;
  MersenneTwister twister(19650218u);
  auto& state = twister.state_;
  size_t i = 1, j = 0;
  const auto advance = [&] {
    if (++i == state.size()) state[0] = state.back(), i = 1;
  };
  for (size_t k = state.size(); k > 0; --k) {
    state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1664525u)) + key[j] +
               static_cast<uint32_t>(j);
    advance();
    if (++j == length) j = 0;
  }
  for (size_t k = state.size() - 1; k > 0; --k) {
    state[i] = (state[i] ^ ((state[i - 1] ^ (state[i - 1] >> 30)) * 1566083941u)) -
               static_cast<uint32_t>(i);
    advance();
  }
  state[0] = 0x80000000u;
  return twister;
}

uint32_t MersenneTwister::next() {
  constexpr size_t middle = 397;
  const size_t n = state_.size();
  if (at_ == n) {
    for (size_t i = 0; i < n; ++i) {
      const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % n] & 0x7fffffffu);
      state_[i] = state_[(i + middle) % n] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0);
    }
    at_ = 0;
  }
  uint32_t y = state_[at_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

double numpy_uniform(MersenneTwister& twister) {
  // 53 bits of two numbers.
  const uint32_t high = twister.next() >> 5, low = twister.next() >> 6;
  return (static_cast<double>(high) * 67108864.0 + static_cast<double>(low)) / 9007199254740992.0;
}

int64_t numpy_below(int64_t count, MersenneTwister& twister) {
  const auto most = static_cast<uint32_t>(count - 1);
  if (most == 0) return 0;
  const auto mask = static_cast<uint32_t>(std::bit_ceil(uint64_t{most} + 1) - 1);
  uint32_t j = 0;
  do {
    j = twister.next() & mask;
  } while (j > most);
  return j;
}

namespace {

std::vector<int64_t> identity(int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  return order;
}

}  // namespace

std::vector<int64_t> numpy_shuffle(int64_t count, MersenneTwister& twister) {
  std::vector<int64_t> order = identity(count);
  for (int64_t i = count - 1; i > 0; --i) {
    const auto most = static_cast<uint64_t>(i);
    const uint64_t mask = std::bit_ceil(most + 1) - 1;
    uint64_t j = 0;
    do {
      j = twister.next();
      if (most > 0xffffffff) j = (j << 32) | twister.next();
      j &= mask;
    } while (j > most);
    std::swap(order[static_cast<size_t>(i)], order[j]);
  }
  return order;
}

std::vector<int64_t> numpy_shuffle(int64_t count, int64_t seed) {
  MersenneTwister twister = MersenneTwister::numpy(seed);
  return numpy_shuffle(count, twister);
}

std::vector<int64_t> python_shuffle(int64_t count, int64_t seed) {
  MersenneTwister twister = MersenneTwister::python(seed);
  std::vector<int64_t> order = identity(count);
  for (int64_t i = count - 1; i > 0; --i) {
    const auto below = static_cast<uint64_t>(i) + 1;
    const int bits = std::bit_width(below);
    if (bits > 32) throw ValueError("a shuffle has more than 2^32 elements.");
    uint64_t j = 0;
    do {
      j = twister.next() >> (32 - bits);
    } while (j >= below);
    std::swap(order[static_cast<size_t>(i)], order[j]);
  }
  return order;
}

}  // namespace cornu::data
