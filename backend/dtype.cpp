// Names of element types and the conversions of 16-bit floats.
#include "dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <ostream>
#include <string>
#include <vector>

#include "error.h"

namespace cornu {
namespace {

constexpr std::array<std::string_view, dtype_count + 5> names = {
    "bool",    "uint8",  "uint16",    "uint32",     "uint64",        "int8",
    "int16",   "int32",  "int64",     "float16",    "bfloat16",      "float32",
    "float64", "string", "complex64", "complex128", "float8_e4m3fn", "float8_e5m2",
};

/// `value` shifted right by `shift` bits (at most 31), rounded to nearest, ties to even.
uint32_t shift_round(uint32_t value, int shift) {
  const uint32_t kept = value >> shift;
  const uint32_t rest = value & ((uint32_t{1} << shift) - 1);
  const uint32_t half = uint32_t{1} << (shift - 1);
  return kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0);
}

}  // namespace

std::string_view dtype_name(DType dtype) { return names[static_cast<size_t>(dtype)]; }

std::ostream& operator<<(std::ostream& out, DType dtype) { return out << dtype_name(dtype); }

DType dtype_of(std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<DType>(i);
  if (name == "int") return DType::int64;  // Python's type of whole numbers, as Keras reads it.
  const std::vector<std::string> candidates(names.begin(), names.end());
  throw ValueError(
      "Unknown dtype '" + std::string(name) +
      "'. Expected one of bool, uint8 to "
      "uint64, int8 to int64, float16, bfloat16, float32, float64, complex64, complex128, "
      "float8_e4m3fn, float8_e5m2, string." +
      did_you_mean(name, candidates));
}

void refuse_elements(DType dtype) {
  throw UnsupportedError("This does not take " + std::string(dtype_name(dtype)) + " numbers. Use " +
                         (is_float8(dtype)
                              ? "ops::cast to float16 or float32"
                              : "ops::real, ops::imag, ops::abs or ops::view_as_real") +
                         " first.");
}

uint16_t float_to_half(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u)  // A NaN stays one: keep the payload's top, set the quiet bit.
    return static_cast<uint16_t>(sign | 0x7e00u | ((magnitude >> 13) & 0x1ffu));
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  if (exponent > 15) return static_cast<uint16_t>(sign | 0x7c00u);
  if (exponent >= -14)  // Normal. A carry out of the mantissa moves the exponent, up to infinity.
    return static_cast<uint16_t>(sign | shift_round(magnitude - (112u << 23), 13));
  if (exponent < -25) return static_cast<uint16_t>(sign);
  const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
  return static_cast<uint16_t>(sign | shift_round(mantissa, -1 - exponent));
}

float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t exponent = (half >> 10) & 0x1fu;
  const uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1fu) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112u) << 23) | (mantissa << 13));
  const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // Exact: subnormal or zero.
  return sign ? -magnitude : magnitude;
}

// Both types are parts of float16: e5m2 is its first byte, and e4m3fn, divided by 256, has the same
// exponents and the first digits.
uint8_t float_to_float8(float value, DType dtype) {
  const bool wide = dtype == DType::float8_e5m2;
  const uint32_t sign = std::signbit(value) ? 0x80u : 0u;
  const float magnitude = std::fabs(value) * (wide ? 1.0f : 0x1p-8f);
  if (std::isnan(value)) return static_cast<uint8_t>(sign | (wide ? 0x7eu : 0x7fu));
  if (magnitude >= (wide ? 61440.0f : 1.875f))
    return static_cast<uint8_t>(sign | (wide ? 0x7cu : 0x7fu));
  // The spacing of the 8-bit numbers here, at least that of the smallest ones.
  const int digits = wide ? 2 : 3, least = -14 - digits;
  int exponent;
  std::frexp(magnitude, &exponent);
  const float step = std::ldexp(1.0f, std::max(exponent - 1 - digits, least));
  const uint16_t half = float_to_half(std::nearbyint(magnitude / step) * step);
  return static_cast<uint8_t>(sign | std::min(half >> (wide ? 8 : 7), 0x7f));
}

float float8_to_float(uint8_t bits, DType dtype) {
  const float sign = bits & 0x80u ? -1.0f : 1.0f;
  const auto magnitude = static_cast<uint16_t>(bits & 0x7fu);
  if (dtype == DType::float8_e5m2)
    return sign * half_to_float(static_cast<uint16_t>(magnitude << 8));
  if (magnitude == 0x7fu) return sign * std::numeric_limits<float>::quiet_NaN();
  return sign * half_to_float(static_cast<uint16_t>(magnitude << 7)) * 256;
}

uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>(shift_round(bits, 16));
}

float bfloat16_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace cornu
