// The text of threefry draws, bit for bit those of backend/random_bits.cpp and random_normal.cpp
// (but for float64 normals, whose logarithm is the device's). Where a product is fused with a sum
// is part of the result, so kernels are compiled without contraction.
#include <string>

#include "prelude.h"

namespace cornu::backend::cuda {
namespace {

constexpr std::string_view bits_text = R"text(
namespace cornu_device {

struct Key { uint32 hi, lo; };
struct Block { uint32 first, second; };

CORNU_DEVICE void threefry_round(Block& x, int distance) {
  x.first += x.second;
  x.second = (x.second << distance | x.second >> (32 - distance)) ^ x.first;
}
CORNU_DEVICE void threefry_rounds(Block& x, int a, int b, int c, int d, uint32 k0, uint32 k1) {
  threefry_round(x, a);
  threefry_round(x, b);
  threefry_round(x, c);
  threefry_round(x, d);
  x.first += k0;
  x.second += k1;
}
CORNU_DEVICE Block block_at(Key key, uint64 index) {
  const uint32 k0 = key.hi, k1 = key.lo, k2 = k0 ^ k1 ^ 0x1BD11BDAu;
  Block x = {static_cast<uint32>(index >> 32) + k0, static_cast<uint32>(index) + k1};
  threefry_rounds(x, 13, 15, 26, 6, k1, k2 + 1);
  threefry_rounds(x, 17, 29, 16, 24, k2, k0 + 2);
  threefry_rounds(x, 13, 15, 26, 6, k0, k1 + 3);
  threefry_rounds(x, 17, 29, 16, 24, k1, k2 + 4);
  threefry_rounds(x, 13, 15, 26, 6, k2, k0 + 5);
  return x;
}
CORNU_DEVICE uint32 bits32_at(Key key, uint64 index) {
  const Block block = block_at(key, index);
  return block.first ^ block.second;
}
CORNU_DEVICE uint64 bits64_at(Key key, uint64 index) {
  const Block block = block_at(key, index);
  return static_cast<uint64>(block.first) << 32 | block.second;
}

CORNU_DEVICE float unit_float(uint32 bits) {
  return bits_as<float>((bits >> 9) | 0x3F800000u) - 1.0f;
}
CORNU_DEVICE double unit_double(uint64 bits) {
  return bits_as<double>((bits >> 12) | 0x3FF0000000000000ull) - 1.0;
}
/// Of a 16-bit type's draw.
template <class T>
CORNU_DEVICE float unit_short(uint32 bits) {
  if constexpr (same<T, Half>)
    return half_to_float(static_cast<uint16>(((bits & 0xFFFFu) >> 6) | 0x3C00u)) - 1.0f;
  else
    return bfloat16_to_float(static_cast<uint16>(((bits & 0xFFu) >> 1) | 0x3F80u)) - 1.0f;
}
/// The value after a step of a 16-bit type's arithmetic.
template <class T>
CORNU_DEVICE float rounded(float value) { return convert<float>(convert<T>(value)); }

template <class T>
CORNU_DEVICE T draw_bits(Key key, uint64 index) {
  if constexpr (sizeof(T) == 8) return bits64_at(key, index);
  else return static_cast<T>(bits32_at(key, index));
}

template <class T>
CORNU_DEVICE T draw_uniform(Key key, uint64 index, double low_, double high_) {
  if constexpr (same<T, double>) {
    const double value = fma(unit_double(bits64_at(key, index)), high_ - low_, low_);
    return low_ < value ? value : low_;
  } else if constexpr (same<T, float>) {
    const float low = static_cast<float>(low_), range = static_cast<float>(high_) - low;
    const float value = fma(unit_float(bits32_at(key, index)), range, low);
    return value < low ? low : value;
  } else {
    const float low = rounded<T>(static_cast<float>(low_));
    const float range = rounded<T>(rounded<T>(static_cast<float>(high_)) - low);
    const float value = rounded<T>(rounded<T>(unit_short<T>(bits32_at(key, index)) * range) + low);
    return convert<T>(low < value ? value : low);
  }
}

CORNU_DEVICE Bool draw_bernoulli(Key key, uint64 index, double p) {
  return Bool{static_cast<uint8>(unit_float(bits32_at(key, index)) < static_cast<float>(p))};
}

/// From two draws, modulo `span` (0: all of U's values); `multiplier` is 2^width mod span.
template <class T, class U>
CORNU_DEVICE T draw_randint(Key upper_key, Key lower_key, uint64 index, U low, U span,
                            U multiplier) {
  U upper = draw_bits<U>(upper_key, index), lower = draw_bits<U>(lower_key, index);
  if (span != 0) upper %= span, lower %= span;
  U offset = upper * multiplier + lower;
  if (span != 0) offset %= span;
  return static_cast<T>(low + offset);
}
CORNU_DEVICE Key split_at(Key key, uint64 index) {
  const Block block = block_at(key, index);
  return Key{block.first, block.second};
}
)text";

constexpr std::string_view normal_text = R"text(
/// Natural logarithm of a normal positive float.
CORNU_DEVICE float log_positive(float y) {
  const uint32 bits = bits_as<uint32>(y);
  const float half_to_one = bits_as<float>((bits & 0x007FFFFFu) | 0x3F000000u);
  const bool small = half_to_one < 0.707106769f;
  const float exponent = (static_cast<float>(static_cast<int>(bits >> 23) - 127) + 1.0f) - (small ? 1.0f : 0.0f);
  const float x = (half_to_one - 1.0f) + (small ? half_to_one : 0.0f);
  const float x2 = x * x, x3 = x2 * x;
  const float a = fma(fma(0.0703768358f, x, -0.115146101f), x, 0.116769984f);
  const float b = fma(fma(-0.12420141f, x, 0.142493233f), x, -0.166680574f);
  const float c = fma(fma(0.200007141f, x, -0.24999994f), x, 0.333333313f);
  const float tail = fma(x3, fma(x3, fma(x3, a, b), c), exponent * -0.000212194442f);
  return fma(exponent, 0.693359375f, fma(-0.5f, x2, x) + tail);
}
CORNU_DEVICE double log_positive(double y) { return log(y); }

/// log(1 + x) for -1 < x <= 0.
template <class T>
CORNU_DEVICE T log_one_plus(T x) {
  const T x2 = x * x;
  T p = static_cast<T>(4.5270000862445199635215e-5);
  p = fma(p, x, static_cast<T>(0.49854102823193375));
  p = fma(p, x, static_cast<T>(6.578732594206104));
  p = fma(p, x, static_cast<T>(29.911919328553072));
  p = fma(p, x, static_cast<T>(60.94966798098779));
  p = fma(p, x, static_cast<T>(57.11296359058554));
  p = fma(p, x, static_cast<T>(20.039553499201283));
  T q = static_cast<T>(1.0);
  q = fma(q, x, static_cast<T>(15.062909083469192));
  q = fma(q, x, static_cast<T>(83.04756596796722));
  q = fma(q, x, static_cast<T>(221.76239823732857));
  q = fma(q, x, static_cast<T>(309.09872225312057));
  q = fma(q, x, static_cast<T>(216.42788614495947));
  q = fma(q, x, static_cast<T>(60.11866049760384));
  const T near = x + fma(static_cast<T>(-0.5), x2, (x * x2) * (p / q));
  const T far = log_positive(static_cast<T>(1) + x);
  return -x < static_cast<T>(0.41421356237309503) ? near : far;
}

CORNU_DEVICE float erf_inverse(float u) {
  const float w = -log_one_plus(-(u * u));
@FLOAT@}
CORNU_DEVICE double erf_inverse(double u) {
  const double w = -log_one_plus(-(u * u));
@DOUBLE@}

/// u = max(low, unit * range + low), the standard normal clamped to [-limit, limit], then scale and
/// shift.
template <class T>
CORNU_DEVICE T draw_normal(Key key, uint64 index, double low_, double range_, double limit_,
                           double mean_, double stddev_) {
  if constexpr (same<T, double>) {
    const double shifted = fma(unit_double(bits64_at(key, index)), range_, low_);
    const double value = erf_inverse(low_ < shifted ? shifted : low_) * 1.4142135623730951;
    return (value < -limit_ ? -limit_ : limit_ < value ? limit_ : value) * stddev_ + mean_;
  } else if constexpr (same<T, float>) {
    const float low = static_cast<float>(low_), limit = static_cast<float>(limit_);
    const float shifted = fma(unit_float(bits32_at(key, index)), static_cast<float>(range_), low);
    const float value = erf_inverse(shifted < low ? low : shifted) * 1.41421354f;
    return (value < -limit ? -limit : value > limit ? limit : value) * static_cast<float>(stddev_) +
           static_cast<float>(mean_);
  } else {
    const float low = static_cast<float>(low_), limit = static_cast<float>(limit_);
    const float mean = rounded<T>(static_cast<float>(mean_));
    const float stddev = rounded<T>(static_cast<float>(stddev_));
    const float unit = unit_short<T>(bits32_at(key, index));
    const float shifted = rounded<T>(rounded<T>(unit * static_cast<float>(range_)) + low);
    const float u = low < shifted ? shifted : low;
    const float value = rounded<T>(rounded<T>(erf_inverse(u)) * 1.4140625f);
    const float clamped = value < -limit ? -limit : limit < value ? limit : value;
    return convert<T>(rounded<T>(clamped * stddev) + mean);
  }
}

}  // namespace cornu_device
)text";

// Giles's polynomials, highest power first.
constexpr const char* float_near[] = {"2.81022636e-08",  "3.43273939e-07", "-3.5233877e-06",
                                      "-4.39150654e-06", "0.00021858087",  "-0.00125372503",
                                      "-0.00417768164",  "0.246640727",    "1.50140941"};
constexpr const char* float_far[] = {"-0.000200214257", "0.000100950558", "0.00134934322",
                                     "-0.00367342844",  "0.00573950773",  "-0.0076224613",
                                     "0.00943887047",   "1.00167406",     "2.83297682"};
constexpr const char* double_near[] = {
    "-3.64441206401782e-21",  "-1.6850591381820166e-19", "1.28584807152564e-18",
    "1.1157877678025181e-17", "-1.333171662854621e-16",  "2.0972767875968562e-17",
    "6.637638134358324e-15",  "-4.054566272975207e-14",  "-8.151934197605472e-14",
    "2.6335093153082323e-12", "-1.2975133253453532e-11", "-5.415412054294628e-11",
    "1.0512122733215323e-09", "-4.112633980346984e-09",  "-2.9070369957882005e-08",
    "4.2347877827932404e-07", "-1.3654692000834679e-06", "-1.3882523362786469e-05",
    "0.00018673420803405714", "-0.000740702534166267",   "-0.006033670871430149",
    "0.24015818242558962",    "1.6536545626831027"};
constexpr const char* double_middle[] = {
    "2.2137376921775787e-09", "9.075656193888539e-08",  "-2.7517406297064545e-07",
    "1.8239629214389228e-08", "1.5027403968909828e-06", "-4.013867526981546e-06",
    "2.9234449089955446e-06", "1.2475304481671779e-05", "-4.7318229009055734e-05",
    "6.828485145957318e-05",  "2.4031110387097894e-05", "-0.0003550375203628475",
    "0.0009532893797373805",  "-0.0016882755560235047", "0.002491442096107851",
    "-0.003751208507569241",  "0.005370914553590064",   "1.0052589676941592",
    "3.0838856104922208"};
constexpr const char* double_far[] = {
    "-2.7109920616438573e-11", "-2.555641816996525e-10",  "1.5076572693500548e-09",
    "-3.789465440126737e-09",  "7.61570120807834e-09",    "-1.496002662714924e-08",
    "2.914795345090108e-08",   "-6.771199775845234e-08",  "2.2900482228026655e-07",
    "-9.9298272942317e-07",    "4.526062597223154e-06",   "-1.968177810553167e-05",
    "7.599527703001776e-05",   "-0.00021503011930044477", "-0.00013871931833623122",
    "1.0103004648645344",      "4.849906401408584"};

/// Lines that give the polynomial at `x` times u, if `condition` holds.
template <size_t n>
std::string polynomial(const char* const (&coefficients)[n], const std::string& type,
                       const std::string& x, const std::string& condition) {
  const auto coefficient = [&](size_t i) {
    return "static_cast<" + type + ">(" + coefficients[i] + ")";
  };
  std::string text = "  " + condition + "{\n    const " + type + " n = " + x + ";\n    " + type +
                     " p = " + coefficient(0) + ";\n";
  for (size_t i = 1; i < n; ++i) text += "    p = fma(p, n, " + coefficient(i) + ");\n";
  return text + "    return p * u;\n  }\n";
}

void replace(std::string& text, const std::string& what, const std::string& by) {
  text.replace(text.find(what), what.size(), by);
}

}  // namespace

std::string_view random_prelude() {
  static const std::string text = [] {
    std::string made = std::string(bits_text) + std::string(normal_text);
    replace(made, "@FLOAT@",
            polynomial(float_near, "float", "w - 2.5f", "if (w < 5.0f) ") +
                polynomial(float_far, "float", "sqrt(w) - 3.0f", ""));
    replace(made, "@DOUBLE@",
            polynomial(double_near, "double", "w - 3.125", "if (w < 6.25) ") +
                polynomial(double_middle, "double", "sqrt(w) - 3.25", "if (w < 16) ") +
                polynomial(double_far, "double", "sqrt(w) - 5.0", ""));
    return made;
  }();
  return text;
}

}  // namespace cornu::backend::cuda
