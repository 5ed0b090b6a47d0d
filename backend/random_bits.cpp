// Random bits, seeds, uniform numbers, integers, masks and shuffles.
#include "random_bits.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "error.h"
#include "randint.h"
#include "random_tiles.h"

namespace cornu::backend {

Key key_from_seed(int64_t seed) {
  if (seed < 0 || seed > int64_t{0xFFFFFFFF})
    throw ValueError("key_from_seed: expected a seed from 0 to 4294967295, found " +
                     std::to_string(seed) + ". Take the seed modulo 2^32.");
  return {static_cast<uint32_t>(seed), 0};
}

// The Mersenne Twister MT19937 (Matsumoto and Nishimura, 1998), seeded by an array of words as
// Python does it. std::mt19937 cannot be seeded that way and does not promise the order of its
// state.
PythonRandom::PythonRandom(int64_t seed) : position_(624) {
  const uint64_t size = seed < 0 ? 0 - static_cast<uint64_t>(seed) : static_cast<uint64_t>(seed);
  const uint32_t words[2] = {static_cast<uint32_t>(size), static_cast<uint32_t>(size >> 32)};
  const size_t count = words[1] != 0 ? 2 : 1;

  state_[0] = 19650218u;
  for (uint32_t i = 1; i < state_.size(); ++i)
    state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
  size_t i = 1, j = 0;
  const auto mix = [&](uint32_t factor, uint32_t added) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * factor)) + added;
    if (++i == state_.size()) {
      state_[0] = state_.back();
      i = 1;
    }
  };
  for (size_t k = 0; k < state_.size(); ++k) {
    mix(1664525u, words[j] + static_cast<uint32_t>(j));
    j = (j + 1) % count;
  }
  for (size_t k = 1; k < state_.size(); ++k) mix(1566083941u, 0u - static_cast<uint32_t>(i));
  state_[0] = 0x80000000u;
}

uint32_t PythonRandom::next_word() {
  const size_t size = state_.size();
  if (position_ == size) {
    for (size_t i = 0; i < size; ++i) {
      const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % size] & 0x7FFFFFFFu);
      state_[i] = state_[(i + 397) % size] ^ (y >> 1) ^ ((y & 1) ? 0x9908B0DFu : 0u);
    }
    position_ = 0;
  }
  uint32_t y = state_[position_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9D2C5680u;
  y ^= (y << 15) & 0xEFC60000u;
  return y ^ (y >> 18);
}

uint32_t PythonRandom::bits(int count) { return next_word() >> (32 - count); }

int64_t PythonRandom::next_seed() {
  constexpr uint32_t choices = 1000000000;
  uint32_t value;
  do value = bits(30);  // 30 bits hold every choice; a larger value is drawn again, as in Python.
  while (value >= choices);
  return int64_t{1} + value;
}

template <class T>
void fill_bits(Key key, uint64_t first, std::span<T> out) {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (sizeof(T) == 8)
    for (size_t i = 0; i < out.size(); ++i) out[i] = bits64_at(key, first + i);
  else
    random_detail::fill_tiles(
        key, first, out, [](const uint32_t* bits, T* values) __attribute__((always_inline)) {
          for (size_t i = 0; i < random_detail::tile_size; ++i) values[i] = static_cast<T>(bits[i]);
        });
}

template void fill_bits(Key, uint64_t, std::span<uint8_t>);
template void fill_bits(Key, uint64_t, std::span<uint16_t>);
template void fill_bits(Key, uint64_t, std::span<uint32_t>);
template void fill_bits(Key, uint64_t, std::span<uint64_t>);

template <class T>
void fill_uniform(Key key, uint64_t first, std::span<T> out, double minval, double maxval) {
  using namespace random_detail;
  if constexpr (std::is_same_v<T, double>) {
    const double range = maxval - minval;
    for (size_t i = 0; i < out.size(); ++i)
      out[i] =
          std::max(minval, __builtin_fma(unit_double(bits64_at(key, first + i)), range, minval));
  } else if constexpr (std::is_same_v<T, float>) {
    const auto low = static_cast<float>(minval);
    const float range = static_cast<float>(maxval) - low;
    fill_tiles(
        key, first, out, [=](const uint32_t* bits, float* values) __attribute__((always_inline)) {
          for (size_t i = 0; i < tile_size; ++i) {
            const float value = __builtin_fmaf(unit_float(bits[i]), range, low);
            values[i] = value < low ? low : value;
          }
        });
  } else {
    const float low = rounded<T>(static_cast<float>(minval));
    const float range = rounded<T>(rounded<T>(static_cast<float>(maxval)) - low);
    for (size_t i = 0; i < out.size(); ++i) {
      const float unit = unit_value<T>(bits32_at(key, first + i));
      out[i] = narrow<T>(std::max(low, rounded<T>(rounded<T>(unit * range) + low)));
    }
  }
}

template void fill_uniform(Key, uint64_t, std::span<float>, double, double);
template void fill_uniform(Key, uint64_t, std::span<double>, double, double);
template void fill_uniform(Key, uint64_t, std::span<Half>, double, double);
template void fill_uniform(Key, uint64_t, std::span<BFloat16>, double, double);

void fill_bernoulli(Key key, uint64_t first, std::span<bool> out, double p) {
  const auto limit = static_cast<float>(p);
  random_detail::fill_tiles(
      key, first, out, [=](const uint32_t* bits, bool* values) __attribute__((always_inline)) {
        for (size_t i = 0; i < random_detail::tile_size; ++i)
          values[i] = unit_float(bits[i]) < limit;
      });
}

template <class T>
void fill_randint(Key key, uint64_t first, std::span<T> out, int64_t minval, int64_t maxval) {
  using U = RandintDraw<T>;
  const RandintNumbers numbers = randint_numbers<T>(minval, maxval);
  const U low = static_cast<U>(numbers.low), span = static_cast<U>(numbers.span),
          multiplier = static_cast<U>(numbers.multiplier);
  const auto modulo = [span](U value) { return span == 0 ? value : static_cast<U>(value % span); };
  const auto [upper_key, lower_key] = split(key);
  const auto draw = [](Key from, uint64_t index) {
    if constexpr (sizeof(U) == 8)
      return bits64_at(from, index);
    else
      return static_cast<U>(bits32_at(from, index));
  };
  for (size_t i = 0; i < out.size(); ++i) {
    const U upper = modulo(draw(upper_key, first + i));
    const U lower = modulo(draw(lower_key, first + i));
    const U offset = modulo(static_cast<U>(uint64_t{upper} * multiplier + lower));
    out[i] = static_cast<T>(static_cast<U>(low + offset));
  }
}

template void fill_randint(Key, uint64_t, std::span<int8_t>, int64_t, int64_t);
template void fill_randint(Key, uint64_t, std::span<int16_t>, int64_t, int64_t);
template void fill_randint(Key, uint64_t, std::span<int32_t>, int64_t, int64_t);
template void fill_randint(Key, uint64_t, std::span<int64_t>, int64_t, int64_t);
template void fill_randint(Key, uint64_t, std::span<uint8_t>, int64_t, int64_t);
template void fill_randint(Key, uint64_t, std::span<uint16_t>, int64_t, int64_t);
template void fill_randint(Key, uint64_t, std::span<uint32_t>, int64_t, int64_t);
template void fill_randint(Key, uint64_t, std::span<uint64_t>, int64_t, int64_t);

void shuffle_sources(Key key, int64_t outer, int64_t axis, int64_t inner,
                     std::span<int64_t> sources) {
  const int64_t size = outer * axis * inner;
  if (outer < 0 || axis < 0 || inner < 0 || size != static_cast<int64_t>(sources.size()))
    throw ShapeError("shuffle_sources: expected room for (" + std::to_string(outer) + ", " +
                     std::to_string(axis) + ", " + std::to_string(inner) + ") elements, found " +
                     std::to_string(sources.size()) + ". Pass outer * axis * inner elements.");
  std::iota(sources.begin(), sources.end(), int64_t{0});

  // Sorts by fresh 32-bit words, as often as makes two equal strings of words unlikely.
  const double exponent = 3, largest_word = 4294967295.0;
  const int rounds = static_cast<int>(
      std::ceil(exponent * std::log(static_cast<double>(std::max<int64_t>(1, size))) /
                std::log(largest_word)));
  std::vector<uint32_t> words(sources.size());
  std::vector<std::pair<uint32_t, int64_t>> lane(static_cast<size_t>(axis));
  for (int round = 0; round < rounds; ++round) {
    const auto [next, word_key] = split(key);
    key = next;
    fill_bits(word_key, 0, std::span<uint32_t>(words));
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        const auto at = [&](int64_t a) { return static_cast<size_t>((o * axis + a) * inner + i); };
        for (int64_t a = 0; a < axis; ++a)
          lane[static_cast<size_t>(a)] = {words[at(a)], sources[at(a)]};
        std::stable_sort(lane.begin(), lane.end(),
                         [](const auto& x, const auto& y) { return x.first < y.first; });
        for (int64_t a = 0; a < axis; ++a) sources[at(a)] = lane[static_cast<size_t>(a)].second;
      }
    }
  }
}

}  // namespace cornu::backend
