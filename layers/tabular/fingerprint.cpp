// FarmHash's 64-bit fingerprint by its public definition, and SipHash.
#include "fingerprint.h"

#include <bit>
#include <cstring>
#include <utility>

namespace cornu::layers {
namespace {

constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273, k2 = 0x9ae16a3b2f90404f;

// Numbers are little-endian wherever the program runs.
template <class T>
T load(const char* s) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= static_cast<T>(static_cast<unsigned char>(s[i])) << (8 * i);
  return value;
}

uint64_t word(const char* s) { return load<uint64_t>(s); }
uint64_t half_word(const char* s) { return load<uint32_t>(s); }
uint64_t fold(uint64_t x) { return x ^ (x >> 47); }
uint64_t right(uint64_t x, int shift) { return std::rotr(x, shift); }

uint64_t mix(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = fold((u ^ v) * factor);
  return fold((v ^ a) * factor) * factor;
}

uint64_t up_to_16(const char* s, uint64_t length) {
  const uint64_t factor = k2 + length * 2;
  if (length >= 8) {
    const uint64_t a = word(s) + k2, b = word(s + length - 8);
    return mix(right(b, 37) * factor + a, (right(a, 25) + b) * factor, factor);
  }
  if (length >= 4) return mix(length + (half_word(s) << 3), half_word(s + length - 4), factor);
  if (length == 0) return k2;
  const auto byte = [&](uint64_t i) {
    return static_cast<uint32_t>(static_cast<unsigned char>(s[i]));
  };
  const uint32_t y = byte(0) + (byte(length >> 1) << 8);
  const uint32_t z = static_cast<uint32_t>(length) + (byte(length - 1) << 2);
  return fold((y * k2) ^ (z * k0)) * k2;
}

uint64_t up_to_32(const char* s, uint64_t length) {
  const uint64_t factor = k2 + length * 2;
  const uint64_t a = word(s) * k1, b = word(s + 8);
  const uint64_t c = word(s + length - 8) * factor, d = word(s + length - 16) * k2;
  return mix(right(a + b, 43) + right(c, 30) + d, a + right(b + k2, 18) + c, factor);
}

uint64_t up_to_64(const char* s, uint64_t length) {
  const uint64_t factor = k2 + length * 2;
  const uint64_t a = word(s) * k2, b = word(s + 8);
  const uint64_t c = word(s + length - 8) * factor, d = word(s + length - 16) * k2;
  const uint64_t y = right(a + b, 43) + right(c, 30) + d;
  const uint64_t z = mix(y, a + right(b + k2, 18) + c, factor);
  const uint64_t e = word(s + 16) * factor, f = word(s + 24);
  const uint64_t g = (y + word(s + length - 32)) * factor;
  const uint64_t h = (z + word(s + length - 24)) * factor;
  return mix(right(e + f, 43) + right(g, 30) + h, e + right(f + a, 18) + g, factor);
}

struct Pair {
  uint64_t first = 0, second = 0;
};

// 32 bytes into a pair of numbers.
Pair absorb(const char* s, uint64_t a, uint64_t b) {
  const uint64_t x = word(s + 8), y = word(s + 16), z = word(s + 24);
  a += word(s);
  b = right(b + a + z, 21);
  const uint64_t c = a;
  a += x + y;
  b += right(a, 44);
  return {a + z, b + c};
}

// The state of the loop over blocks of 64 bytes.
struct Blocks {
  uint64_t x, y, z;
  Pair v, w;

  // The last block weighs the parts of the state in another way.
  void block(const char* s, uint64_t factor, uint64_t weight) {
    x = right(x + y + v.first + word(s + 8), 37) * factor;
    y = right(y + v.second + word(s + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + word(s + 40);
    z = right(z + w.first, 33) * factor;
    v = absorb(s, v.second * factor, x + w.first);
    w = absorb(s + 32, z + w.second, y + word(s + 16));
    std::swap(z, x);
  }
};

uint64_t long_text(const char* s, uint64_t length) {
  constexpr uint64_t seed = 81;
  Blocks state{seed * k2 + word(s), seed * k1 + 113, 0, {}, {}};
  state.z = fold(state.y * k2 + 113) * k2;
  const char* const last = s + length - 64;
  for (const char* const end = s + (length - 1) / 64 * 64; s != end; s += 64) state.block(s, k1, 1);
  const uint64_t factor = k1 + ((state.z & 0xff) << 1);
  state.w.first += (length - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.block(last, factor, 9);
  return mix(mix(state.v.first, state.w.first, factor) + fold(state.y) * k0 + state.z,
             mix(state.v.second, state.w.second, factor) + state.x, factor);
}

}  // namespace

uint64_t fingerprint64(std::string_view text) {
  const uint64_t length = text.size();
  if (length <= 16) return up_to_16(text.data(), length);
  if (length <= 32) return up_to_32(text.data(), length);
  if (length <= 64) return up_to_64(text.data(), length);
  return long_text(text.data(), length);
}

uint64_t sip_hash(std::array<uint64_t, 2> key, std::string_view text) {
  uint64_t v0 = key[0] ^ 0x736f6d6570736575, v1 = key[1] ^ 0x646f72616e646f6d;
  uint64_t v2 = key[0] ^ 0x6c7967656e657261, v3 = key[1] ^ 0x7465646279746573;
  const auto rounds = [&](int count) {
    for (int i = 0; i < count; ++i) {
      v0 += v1;
      v2 += v3;
      v1 = std::rotl(v1, 13) ^ v0;
      v3 = std::rotl(v3, 16) ^ v2;
      v0 = std::rotl(v0, 32);
      v2 += v1;
      v0 += v3;
      v1 = std::rotl(v1, 17) ^ v2;
      v3 = std::rotl(v3, 21) ^ v0;
      v2 = std::rotl(v2, 32);
    }
  };
  const auto absorb_word = [&](uint64_t m) {
    v3 ^= m;
    rounds(2);
    v0 ^= m;
  };
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) absorb_word(word(text.data() + i));
  uint64_t rest = static_cast<uint64_t>(text.size()) << 56;
  for (size_t k = 0; i + k < text.size(); ++k)
    rest |= static_cast<uint64_t>(static_cast<unsigned char>(text[i + k])) << (8 * k);
  absorb_word(rest);
  v2 ^= 0xff;
  rounds(4);
  return v0 ^ v1 ^ v2 ^ v3;
}

uint64_t combine_fingerprints(uint64_t first, uint64_t second) {
  constexpr uint64_t factor = 0xc6a4a7935bd1e995;
  uint64_t result = first ^ factor;
  result ^= fold(second * factor) * factor;
  result *= factor;
  result = fold(result) * factor;
  return fold(result);
}

}  // namespace cornu::layers
