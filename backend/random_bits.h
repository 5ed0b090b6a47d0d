// Random numbers equal bit for bit to those of Keras on the JAX backend: keys, bits, distributions.
//
// The generator is counter based: element i of a draw depends only on the key and on i (row major
// index), so a draw can be filled in any order, in parts, and by any number of threads. Each
// fill_ function takes `first`, the index in the draw of out[0].
//
// How Keras 3 turns seeds into keys (JAX backend, 64-bit mode off, which is its default):
//
//  * An int seed s gives the key {s, 0}: key_from_seed(s). It is not jax.random.key(s), which is
//    {0, s}. Drawing twice with one int seed gives the same numbers.
//  * SeedGenerator(s) has the uint32[2] state {s, 0}. A draw uses the state as its key and then
//    adds {0, 1}: the k-th draw (from 0) has the key {s, k}. That is next_key(state).
//  * A draw with seed=None uses a global SeedGenerator() with ordered=False: see
//    next_key_unordered.
//  * SeedGenerator(), the global generator and every initializer or layer that got no seed ask
//    for a seed at construction: Python's random.randint(1, 10**9), which is
//    PythonRandom::next_seed. keras.utils.set_random_seed(s) does random.seed(s) and drops the
//    global generator, so the seeds after it are those of PythonRandom(s), in the order in which
//    the objects are constructed; the global generator takes its own at the first draw that needs
//    it.
//
// Initializers draw with the int seed's key, the same on each call, and no split:
//
//    RandomUniform(minval, maxval)            fill_uniform(key, 0, out, minval, maxval)
//    RandomNormal(mean, stddev)               fill_normal(key, 0, out, mean, stddev)
//    TruncatedNormal(mean, stddev)            fill_truncated_normal(key, 0, out, mean, stddev)
//    VarianceScaling(scale, mode, ...)        n = fan_in, fan_out or (fan_in + fan_out) / 2.0,
//                                             scale /= max(1.0, n); then:
//      "uniform"              limit = sqrt(3.0 * scale): fill_uniform(key, 0, out, -limit, limit)
//      "untruncated_normal"   fill_normal(key, 0, out, 0, sqrt(scale))
//      "truncated_normal"     fill_truncated_normal(key, 0, out, 0, stddev) with
//                             stddev = sqrt(scale) / 0.87962566103423978
//    GlorotUniform = (1, fan_avg, uniform), GlorotNormal = (1, fan_avg, truncated_normal),
//    HeUniform / HeNormal = (2, fan_in, ...), LecunUniform / LecunNormal = (1, fan_in, ...).
//    Orthogonal                               fill_normal(key, 0, out) of shape (max(rows, cols),
//                                             min(rows, cols)), then QR; see Keras's page
// Everything up to the arguments of fill_ is double arithmetic; fill_ rounds them to float, then
// to T.
//
// layers.Dropout(rate, seed=s) owns a SeedGenerator(s). Its k-th training call (from 0) keeps
// element i where u_i < float(1.0 - rate), u = the float32 uniform draw with the key {s, k}
// whatever the dtype of the input: fill_bernoulli(next_key(state), 0, mask, 1.0 - rate).
// Elsewhere the result is 0. A kept x becomes, eagerly and compiled alike, x * (1 / T(1.0 -
// rate)) for T float32 and float16, the reciprocal and the product rounded to T, but x / T(1.0 -
// rate) for bfloat16. (XLA replaces the division by a constant; dividing in float32 differs in
// the last bit of one value in ten.) Calls with rate 0 or outside training draw nothing and leave
// the state alone; rate 1 gives zeros and draws nothing. A layer with rate 0 asks for no seed at
// construction. `noise_shape` is the shape of the mask, which is broadcast.
//
// Draws compute in the storage type as XLA's CPU compiler does, fused multiply-adds included, on
// every machine and with any compiler flags (but -ffast-math, and clang's -ffp-contract=fast). A
// reference of JAX on a machine whose CPU has no FMA, on a CPU with native float16 arithmetic, or
// on a GPU can differ in the last bits.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dtype.h"

namespace cornu::backend {

/// A threefry key. As Keras's uint32[2] seed it reads {hi, lo}.
struct Key {
  uint32_t hi = 0;  ///< first word
  uint32_t lo = 0;  ///< second word
  friend constexpr bool operator==(const Key&, const Key&) = default;
};

/// The two words that threefry2x32 makes of a counter.
struct Block {
  uint32_t first;   ///< word 0
  uint32_t second;  ///< word 1
};

namespace random_detail {
[[gnu::always_inline]] constexpr inline Block threefry_round(Block x, int distance) {
  const uint32_t sum = x.first + x.second;
  return {sum, ((x.second << distance) | (x.second >> (32 - distance))) ^ sum};
}

/// Four rounds of Threefry-2x32, then the addition of a round key.
[[gnu::always_inline]] constexpr inline Block threefry_rounds(Block x, int a, int b, int c, int d,
                                                              uint32_t key0, uint32_t key1) {
  x = threefry_round(x, a);
  x = threefry_round(x, b);
  x = threefry_round(x, c);
  x = threefry_round(x, d);
  return {x.first + key0, x.second + key1};
}
}  // namespace random_detail

/// The Threefry-2x32 hash with 20 rounds of the counter {x0, x1}. It has no branches, so loops over
/// counters vectorize. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
[[gnu::always_inline]] constexpr inline Block threefry2x32(Key key, uint32_t x0, uint32_t x1) {
  const uint32_t k0 = key.hi, k1 = key.lo, k2 = k0 ^ k1 ^ 0x1BD11BDAu;
  Block x{x0 + k0, x1 + k1};
  x = random_detail::threefry_rounds(x, 13, 15, 26, 6, k1, k2 + 1);
  x = random_detail::threefry_rounds(x, 17, 29, 16, 24, k2, k0 + 2);
  x = random_detail::threefry_rounds(x, 13, 15, 26, 6, k0, k1 + 3);
  x = random_detail::threefry_rounds(x, 17, 29, 16, 24, k1, k2 + 4);
  return random_detail::threefry_rounds(x, 13, 15, 26, 6, k2, k0 + 5);
}

/// The block of element `index` of a draw: the 64-bit counter's high word, then its low word.
[[gnu::always_inline]] constexpr inline Block block_at(Key key, uint64_t index) {
  return threefry2x32(key, static_cast<uint32_t>(index >> 32), static_cast<uint32_t>(index));
}

/// Random bits of element `index` of a 32-bit draw; 8- and 16-bit draws keep the low bits of it.
[[gnu::always_inline]] constexpr inline uint32_t bits32_at(Key key, uint64_t index) {
  const Block block = block_at(key, index);
  return block.first ^ block.second;
}

/// Random bits of element `index` of a 64-bit draw.
[[gnu::always_inline]] constexpr inline uint64_t bits64_at(Key key, uint64_t index) {
  const Block block = block_at(key, index);
  return static_cast<uint64_t>(block.first) << 32 | block.second;
}

/// The float in [0, 1), a multiple of 2^-23, that a draw of float32 makes of 32 random bits.
[[gnu::always_inline]] constexpr inline float unit_float(uint32_t bits) {
  return __builtin_bit_cast(float, (bits >> 9) | 0x3F800000u) - 1.0f;
}

/// The key for a Keras int seed, and the first state of SeedGenerator(seed). Throws ValueError
/// outside 0 to 2^32 - 1, which Keras refuses as well.
Key key_from_seed(int64_t seed);

/// The key that jax.random.key(seed) makes with 64-bit mode on. With it off, JAX cuts the seed to
/// 32 bits first: pass static_cast<uint32_t>(seed).
constexpr Key jax_key(int64_t seed) {
  return {static_cast<uint32_t>(static_cast<uint64_t>(seed) >> 32), static_cast<uint32_t>(seed)};
}

/// Row `index` of jax.random.split(key, n), for any n > index.
constexpr Key split_at(Key key, uint64_t index) {
  const Block block = block_at(key, index);
  return {block.first, block.second};
}

/// The two keys of jax.random.split(key).
constexpr std::array<Key, 2> split(Key key) { return {split_at(key, 0), split_at(key, 1)}; }

/// jax.random.fold_in(key, data).
constexpr Key fold_in(Key key, uint32_t data) { return split_at(key, data); }

/// SeedGenerator.next(): returns the state as a key and adds {0, 1} to it.
constexpr Key next_key(Key& state) {
  const Key key = state;
  state.lo += 1;
  return key;
}

/// SeedGenerator.next(ordered=False), which draws without a seed use: returns the state and
/// replaces each of its words w by (w + 1) * 5387 % 933199, in 32-bit arithmetic that wraps.
constexpr Key next_key_unordered(Key& state) {
  const Key key = state;
  state.hi = (state.hi + 1) * 5387u % 933199u;
  state.lo = (state.lo + 1) * 5387u % 933199u;
  return key;
}

/// Python's `random` module as far as Keras uses it to pick seeds (the Mersenne Twister).
class PythonRandom {
 public:
  /// random.seed(seed). Its sign does not matter, as in Python.
  explicit PythonRandom(int64_t seed);

  /// random.getrandbits(bits), for 1 to 32 bits.
  uint32_t bits(int count);

  /// random.randint(1, 10**9): the seed of whatever is constructed next without one.
  int64_t next_seed();

 private:
  uint32_t next_word();

  std::array<uint32_t, 624> state_;
  size_t position_;
};

/// jax.random.bits: T is uint8_t, uint16_t, uint32_t or uint64_t.
template <class T>
void fill_bits(Key key, uint64_t first, std::span<T> out);

/// Uniform in [minval, maxval); T is float, double, Half or BFloat16. The grid has 23, 52, 10 or 7
/// bits.
template <class T>
void fill_uniform(Key key, uint64_t first, std::span<T> out, double minval = 0, double maxval = 1);

/// Normal: sqrt(2) * erf_inv(uniform(-1, 1)), times stddev, plus mean, each step rounded to T. T as
/// above. erf_inv is Giles, "Approximating the erfinv function", 2012.
template <class T>
void fill_normal(Key key, uint64_t first, std::span<T> out, double mean = 0, double stddev = 1);

/// Like fill_normal, with the standard normal restricted to the open interval (-2, 2).
template <class T>
void fill_truncated_normal(Key key, uint64_t first, std::span<T> out, double mean = 0,
                           double stddev = 1);

/// out[i] = u < float(p) with u the float32 uniform draw: jax.random.bernoulli, Keras's dropout
/// masks.
void fill_bernoulli(Key key, uint64_t first, std::span<bool> out, double p);

/// Integers in [minval, maxval), or minval where maxval <= minval; T is an integer type. Bounds
/// beyond T are clipped to it, maxval to one past its largest value. jax.random.randint: two draws,
/// modulo, with its wrapping multiplier. With 64-bit mode off Keras draws int64 as int32 and uint64
/// as uint32.
template <class T>
void fill_randint(Key key, uint64_t first, std::span<T> out, int64_t minval, int64_t maxval);

/// Standard Gumbel, -log(-log(uniform)), float32: jax.random.gumbel.
void fill_gumbel(Key key, uint64_t first, std::span<float> out);

/// keras.random.shuffle of an array (outer, axis, inner) along `axis`: sources[i] is the flat index
/// of the element that moves to i. Lanes are shuffled independently. `sources` has outer * axis *
/// inner elements, else ShapeError. With outer = inner = 1 it is jax.random.permutation(key, axis).
void shuffle_sources(Key key, int64_t outer, int64_t axis, int64_t inner,
                     std::span<int64_t> sources);

/// keras.random.categorical of float32 logits (batch, classes) -> out (batch, samples): the index
/// of the largest logit + Gumbel noise, the first of equal ones. Throws ShapeError when sizes do
/// not fit.
void categorical(Key key, std::span<const float> logits, int64_t batch, int64_t classes,
                 int64_t samples, std::span<int32_t> out);

}  // namespace cornu::backend
