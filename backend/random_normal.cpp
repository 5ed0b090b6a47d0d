// Normal, truncated normal, Gumbel and categorical draws. The elementary functions below repeat,
// bit for bit, those that XLA generates for CPUs: which products are fused with a sum is part of
// the result.
#include "random_bits.h"

#include <cmath>
#include <iterator>
#include <string>
#include <type_traits>

#include "error.h"
#include "random_tiles.h"

namespace cornu::backend {
namespace {

using namespace random_detail;

[[gnu::always_inline]] inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
[[gnu::always_inline]] inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

/// Horner's scheme, highest power first. Recursion rather than a loop, which keeps loops that call
/// it free of inner loops, so that they vectorize.
template <const auto& coefficients, size_t last = std::size(coefficients) - 1, class T>
[[gnu::always_inline]] inline T polynomial(T x) {
  if constexpr (last == 0)
    return static_cast<T>(coefficients[0]);
  else
    return fused(polynomial<coefficients, last - 1>(x), x, static_cast<T>(coefficients[last]));
}

/// Natural logarithm of a normal positive float. Cephes logf, its polynomial split in three.
[[gnu::always_inline]] inline float log_positive(float y) {
  const uint32_t bits = __builtin_bit_cast(uint32_t, y);
  const float half_to_one = __builtin_bit_cast(float, (bits & 0x007FFFFFu) | 0x3F000000u);
  const bool small = half_to_one < 0.707106769f;
  const float exponent =
      (static_cast<float>(static_cast<int32_t>(bits >> 23) - 127) + 1.0f) - (small ? 1.0f : 0.0f);
  const float x = (half_to_one - 1.0f) + (small ? half_to_one : 0.0f);
  const float x2 = x * x, x3 = x2 * x;
  const float a = fused(fused(0.0703768358f, x, -0.115146101f), x, 0.116769984f);
  const float b = fused(fused(-0.12420141f, x, 0.142493233f), x, -0.166680574f);
  const float c = fused(fused(0.200007141f, x, -0.24999994f), x, 0.333333313f);
  const float tail = fused(x3, fused(x3, fused(x3, a, b), c), exponent * -0.000212194442f);
  return fused(exponent, 0.693359375f, fused(-0.5f, x2, x) + tail);
}
[[gnu::always_inline]] inline double log_positive(double y) { return std::log(y); }

constexpr double log1p_numerator[] = {
    4.5270000862445199635215e-5, 0.49854102823193375, 6.578732594206104, 29.911919328553072,
    60.94966798098779,           57.11296359058554,   20.039553499201283};
constexpr double log1p_denominator[] = {1.0,
                                        15.062909083469192,
                                        83.04756596796722,
                                        221.76239823732857,
                                        309.09872225312057,
                                        216.42788614495947,
                                        60.11866049760384};

/// log(1 + x) for -1 < x <= 0. Cephes log1p.
template <class T>
[[gnu::always_inline]] inline T log_one_plus(T x) {
  const T x2 = x * x;
  const T ratio = polynomial<log1p_numerator>(x) / polynomial<log1p_denominator>(x);
  const T near = x + fused(static_cast<T>(-0.5), x2, (x * x2) * ratio);
  const T far = log_positive(static_cast<T>(1) + x);
  return -x < static_cast<T>(0.41421356237309503) ? near : far;
}

// Giles's polynomials, see the header: in w - 2.5 for w < 5, else in sqrt(w) - 3, with
// w = -log(1 - u^2); for double in w - 3.125 for w < 6.25, sqrt(w) - 3.25 for w < 16, sqrt(w) - 5.
constexpr double float_near[] = {2.81022636e-08,  3.43273939e-07, -3.5233877e-06,
                                 -4.39150654e-06, 0.00021858087,  -0.00125372503,
                                 -0.00417768164,  0.246640727,    1.50140941};
constexpr double float_far[] = {-0.000200214257, 0.000100950558, 0.00134934322,
                                -0.00367342844,  0.00573950773,  -0.0076224613,
                                0.00943887047,   1.00167406,     2.83297682};
constexpr double double_near[] = {
    -3.64441206401782e-21,  -1.6850591381820166e-19, 1.28584807152564e-18,
    1.1157877678025181e-17, -1.333171662854621e-16,  2.0972767875968562e-17,
    6.637638134358324e-15,  -4.054566272975207e-14,  -8.151934197605472e-14,
    2.6335093153082323e-12, -1.2975133253453532e-11, -5.415412054294628e-11,
    1.0512122733215323e-09, -4.112633980346984e-09,  -2.9070369957882005e-08,
    4.2347877827932404e-07, -1.3654692000834679e-06, -1.3882523362786469e-05,
    0.00018673420803405714, -0.000740702534166267,   -0.006033670871430149,
    0.24015818242558962,    1.6536545626831027};
constexpr double double_middle[] = {
    2.2137376921775787e-09, 9.075656193888539e-08,  -2.7517406297064545e-07,
    1.8239629214389228e-08, 1.5027403968909828e-06, -4.013867526981546e-06,
    2.9234449089955446e-06, 1.2475304481671779e-05, -4.7318229009055734e-05,
    6.828485145957318e-05,  2.4031110387097894e-05, -0.0003550375203628475,
    0.0009532893797373805,  -0.0016882755560235047, 0.002491442096107851,
    -0.003751208507569241,  0.005370914553590064,   1.0052589676941592,
    3.0838856104922208};
constexpr double double_far[] = {
    -2.7109920616438573e-11, -2.555641816996525e-10,  1.5076572693500548e-09,
    -3.789465440126737e-09,  7.61570120807834e-09,    -1.496002662714924e-08,
    2.914795345090108e-08,   -6.771199775845234e-08,  2.2900482228026655e-07,
    -9.9298272942317e-07,    4.526062597223154e-06,   -1.968177810553167e-05,
    7.599527703001776e-05,   -0.00021503011930044477, -0.00013871931833623122,
    1.0103004648645344,      4.849906401408584};

/// The part of erf_inv for float with w < 5, all but 1 in 300 of uniform draws.
[[gnu::always_inline]] inline float erf_inv_near(float u, float w) {
  return polynomial<float_near>(w - 2.5f) * u;
}
inline float erf_inv_far(float u, float w) {
  return polynomial<float_far>(std::sqrt(w) - 3.0f) * u;
}

/// erf^-1(u) for -1 < u < 1.
inline float erf_inv(float u) {
  const float w = -log_one_plus(-(u * u));
  return w < 5.0f ? erf_inv_near(u, w) : erf_inv_far(u, w);
}
inline double erf_inv(double u) {
  const double w = -log_one_plus(-(u * u));
  if (w < 6.25) return polynomial<double_near>(w - 3.125) * u;
  if (w < 16) return polynomial<double_middle>(std::sqrt(w) - 3.25) * u;
  return polynomial<double_far>(std::sqrt(w) - 5.0) * u;
}

/// What a (truncated) normal draw depends on: u = max(low, unit * range + low), the standard normal
/// clamped to [-limit, limit], then scale and shift.
struct Normal {
  double low;
  double range;
  double limit;
  double mean;
  double stddev;
};

void draw(Key key, uint64_t first, std::span<float> out, const Normal& normal) {
  const auto low = static_cast<float>(normal.low), range = static_cast<float>(normal.range);
  const auto limit = static_cast<float>(normal.limit);
  const auto mean = static_cast<float>(normal.mean), stddev = static_cast<float>(normal.stddev);
  fill_tiles(
      key, first, out, [=](const uint32_t* bits, float* values) __attribute__((always_inline)) {
        float u[tile_size], w[tile_size];
        uint32_t far = 0;
        for (size_t i = 0; i < tile_size; ++i) {
          const float value = fused(unit_float(bits[i]), range, low);
          u[i] = value < low ? low : value;
          w[i] = -log_one_plus(-(u[i] * u[i]));
          far |= w[i] < 5.0f ? 0u : 1u;
          values[i] = erf_inv_near(u[i], w[i]);
        }
        if (far != 0)
          for (size_t i = 0; i < tile_size; ++i)
            if (w[i] >= 5.0f) values[i] = erf_inv_far(u[i], w[i]);
        for (size_t i = 0; i < tile_size; ++i) {
          const float value = values[i] * 1.41421354f;
          const float clamped = value < -limit ? -limit : (value > limit ? limit : value);
          values[i] = clamped * stddev + mean;
        }
      });
}

void draw(Key key, uint64_t first, std::span<double> out, const Normal& normal) {
  for (size_t i = 0; i < out.size(); ++i) {
    const double unit = unit_double(bits64_at(key, first + i));
    const double u = std::max(normal.low, fused(unit, normal.range, normal.low));
    const double value = erf_inv(u) * 1.4142135623730951;
    out[i] = std::clamp(value, -normal.limit, normal.limit) * normal.stddev + normal.mean;
  }
}

template <class T>
void draw(Key key, uint64_t first, std::span<T> out, const Normal& normal) {
  const auto low = static_cast<float>(normal.low), range = static_cast<float>(normal.range);
  const auto limit = static_cast<float>(normal.limit);
  const float mean = rounded<T>(static_cast<float>(normal.mean));
  const float stddev = rounded<T>(static_cast<float>(normal.stddev));
  for (size_t i = 0; i < out.size(); ++i) {
    const float unit = unit_value<T>(bits32_at(key, first + i));
    const float u = std::max(low, rounded<T>(rounded<T>(unit * range) + low));
    const float value = rounded<T>(rounded<T>(erf_inv(u)) * 1.4140625f);
    const float clamped = std::clamp(value, -limit, limit);
    out[i] = narrow<T>(rounded<T>(clamped * stddev) + mean);
  }
}

/// Values of T next to -1 and to 2, both towards 0, and erf(2 / sqrt(2)) and twice that as JAX has
/// them.
template <class T>
struct Constants;
template <>
struct Constants<float> {
  static constexpr double above_minus_one = -0x1.fffffep-1, below_two = 0x1.fffffep0;
  static constexpr double erf_sqrt2 = 0.954499722f, twice = 2 * erf_sqrt2;
};
template <>
struct Constants<double> {
  static constexpr double above_minus_one = -0x1.fffffffffffffp-1, below_two = 0x1.fffffffffffffp0;
  static constexpr double erf_sqrt2 = 0.9544997361036416, twice = 2 * erf_sqrt2;
};
template <>
struct Constants<Half> {
  static constexpr double above_minus_one = -0x1.ffcp-1, below_two = 0x1.ffcp0;
  static constexpr double erf_sqrt2 = 0x1.e8cp-1, twice = 2 * erf_sqrt2;
};
template <>
struct Constants<BFloat16> {
  static constexpr double above_minus_one = -0x1.fep-1, below_two = 0x1.fep0;
  static constexpr double erf_sqrt2 = 0x1.e8p-1, twice = 2 * erf_sqrt2;
};

}  // namespace

template <class T>
void fill_normal(Key key, uint64_t first, std::span<T> out, double mean, double stddev) {
  // The range from just above -1 to 1 rounds to 2. No draw comes near the limit.
  draw(key, first, out, {Constants<T>::above_minus_one, 2, 1000, mean, stddev});
}

template <class T>
void fill_truncated_normal(Key key, uint64_t first, std::span<T> out, double mean, double stddev) {
  using C = Constants<T>;
  draw(key, first, out, {-C::erf_sqrt2, C::twice, C::below_two, mean, stddev});
}

template void fill_normal(Key, uint64_t, std::span<float>, double, double);
template void fill_normal(Key, uint64_t, std::span<double>, double, double);
template void fill_normal(Key, uint64_t, std::span<Half>, double, double);
template void fill_normal(Key, uint64_t, std::span<BFloat16>, double, double);
template void fill_truncated_normal(Key, uint64_t, std::span<float>, double, double);
template void fill_truncated_normal(Key, uint64_t, std::span<double>, double, double);
template void fill_truncated_normal(Key, uint64_t, std::span<Half>, double, double);
template void fill_truncated_normal(Key, uint64_t, std::span<BFloat16>, double, double);

void fill_gumbel(Key key, uint64_t first, std::span<float> out) {
  fill_tiles(
      key, first, out, [](const uint32_t* bits, float* values) __attribute__((always_inline)) {
        for (size_t i = 0; i < tile_size; ++i) {
          const float unit = unit_float(bits[i]);
          const float positive = unit < 0x1p-126f ? 0x1p-126f : unit;
          values[i] = -log_positive(-log_positive(positive));
        }
      });
}

void categorical(Key key, std::span<const float> logits, int64_t batch, int64_t classes,
                 int64_t samples, std::span<int32_t> out) {
  if (batch < 0 || classes < 1 || samples < 0 ||
      static_cast<int64_t>(logits.size()) != batch * classes ||
      static_cast<int64_t>(out.size()) != batch * samples)
    throw ShapeError("categorical: expected logits (" + std::to_string(batch) + ", " +
                     std::to_string(classes) + ") and room for (" + std::to_string(batch) + ", " +
                     std::to_string(samples) + "), found " + std::to_string(logits.size()) +
                     " logits and room for " + std::to_string(out.size()) +
                     ". Pass whole rows and at least one class.");
  // The noise has the shape (batch, classes, samples).
  constexpr size_t chunk = 256;
  float noise[chunk];
  float best[chunk];
  const auto row_size = static_cast<uint64_t>(samples);
  for (uint64_t b = 0; b < static_cast<uint64_t>(batch); ++b) {
    for (uint64_t begin = 0; begin < row_size; begin += chunk) {
      const size_t count = std::min<uint64_t>(chunk, row_size - begin);
      int32_t* chosen = out.data() + b * row_size + begin;
      for (uint64_t c = 0; c < static_cast<uint64_t>(classes); ++c) {
        const uint64_t lane = b * static_cast<uint64_t>(classes) + c;
        fill_gumbel(key, lane * row_size + begin, std::span<float>(noise, count));
        for (size_t s = 0; s < count; ++s) {
          const float value = noise[s] + logits[lane];
          if (c == 0 || value > best[s]) {
            best[s] = value;
            chosen[s] = static_cast<int32_t>(c);
          }
        }
      }
    }
  }
}

}  // namespace cornu::backend
