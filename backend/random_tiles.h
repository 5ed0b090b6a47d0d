// Internal to the random_*.cpp files: tiles of random bits, and code compiled per instruction set.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>

#include "random_bits.h"

// For the rest of the file that includes this one. A product and a sum that are rounded apart must
// stay so where the machine has a fused instruction. Without traps and errno, choices and sqrt
// vectorize.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-trapping-math", "no-math-errno")
#endif

namespace cornu::backend::random_detail {

/// Elements computed together. The constant trip count lets compilers vectorize at -O2 as well.
inline constexpr size_t tile_size = 64;

/// bits32_at of tile_size elements from `first` on.
[[gnu::always_inline]] inline void bits_tile(Key key, uint64_t first, uint32_t* bits) {
  const auto low = static_cast<uint32_t>(first);
  const auto high = static_cast<uint32_t>(first >> 32);
  for (uint32_t i = 0; i < tile_size; ++i) {
    const uint32_t counter = low + i;
    const Block block = threefry2x32(key, high + (counter < low ? 1u : 0u), counter);
    bits[i] = block.first ^ block.second;
  }
}

#if defined(__x86_64__) && defined(__GNUC__)
template <class F>
[[gnu::target("avx2,fma")]] void run_avx2(const F& body) {
  body();
}

template <class F>
[[gnu::target("avx2,fma,avx512f,avx512vl,avx512bw,avx512dq")]] void run_avx512(const F& body) {
  body();
}

inline int instruction_set() {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 0;
  return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                 __builtin_cpu_supports("avx512dq")
             ? 2
             : 1;
}
#endif

/// Calls body(), compiled for the best instruction set of this machine. `body` and all it calls
/// must be always_inline. Results do not depend on the choice: fused multiply-adds are written out,
/// and without an instruction for them the compiler calls the C library's.
template <class F>
void run_vectorized(const F& body) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const int best = instruction_set();
  if (best == 2) return run_avx512(body);
  if (best == 1) return run_avx2(body);
#endif
  body();
}

/// Fills `out` tile by tile: tile(bits, values) makes tile_size values of as many 32-bit words.
template <class T, class Tile>
void fill_tiles(Key key, uint64_t first, std::span<T> out, const Tile& tile) {
  run_vectorized([&]() __attribute__((always_inline)) {
    uint32_t bits[tile_size];
    T values[tile_size];
    for (size_t done = 0; done < out.size(); done += tile_size) {
      bits_tile(key, first + done, bits);
      tile(bits, values);
      const size_t count = std::min(tile_size, out.size() - done);
      std::memcpy(out.data() + done, values, count * sizeof(T));
    }
  });
}

inline float to_float(Half value) { return half_to_float(value.bits); }
inline float to_float(BFloat16 value) { return bfloat16_to_float(value.bits); }

/// A 16-bit type's arithmetic: each operation in float, then rounded.
template <class T>
T narrow(float value);
template <>
inline Half narrow<Half>(float value) {
  return {float_to_half(value)};
}
template <>
inline BFloat16 narrow<BFloat16>(float value) {
  return {float_to_bfloat16(value)};
}
template <class T>
float rounded(float value) {
  return to_float(narrow<T>(value));
}

/// The value in [0, 1) that a draw of T makes of the low 16 (Half) or 8 (BFloat16) of 32 random
/// bits.
template <class T>
float unit_value(uint32_t bits) {
  if constexpr (std::is_same_v<T, Half>)
    return half_to_float(static_cast<uint16_t>(((bits & 0xFFFFu) >> 6) | 0x3C00u)) - 1.0f;
  else
    return bfloat16_to_float(static_cast<uint16_t>(((bits & 0xFFu) >> 1) | 0x3F80u)) - 1.0f;
}

/// The value in [0, 1), a multiple of 2^-52, that a draw of float64 makes of 64 random bits.
[[gnu::always_inline]] inline double unit_double(uint64_t bits) {
  return __builtin_bit_cast(double, (bits >> 12) | 0x3FF0000000000000u) - 1.0;
}

}  // namespace cornu::backend::random_detail
