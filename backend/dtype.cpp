// Names of element types and the conversions of 16-bit floats.
#include "dtype.h"

#include <array>
#include <bit>
#include <string>
#include <vector>

#include "error.h"

namespace cornu {
namespace {

constexpr std::array<std::string_view, dtype_count + 3> names = {
    "bool",  "uint8",   "uint16",   "uint32",  "uint64",  "int8",   "int16",     "int32",
    "int64", "float16", "bfloat16", "float32", "float64", "string", "complex64", "complex128",
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

DType dtype_of(std::string_view name) {
  for (size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<DType>(i);
  if (name == "int") return DType::int64;  // Python's type of whole numbers, as Keras reads it.
  const std::vector<std::string> candidates(names.begin(), names.end());
  throw ValueError(
      "Unknown dtype '" + std::string(name) +
      "'. Expected one of bool, uint8 to "
      "uint64, int8 to int64, float16, bfloat16, float32, float64, complex64, complex128, string." +
      did_you_mean(name, candidates));
}

void refuse_complex(DType dtype) {
  throw UnsupportedError(
      "This does not take " + std::string(dtype_name(dtype)) +
      " numbers. Use ops::real, ops::imag, ops::abs or ops::view_as_real first.");
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

uint16_t float_to_bfloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>(shift_round(bits, 16));
}

float bfloat16_to_float(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace cornu
