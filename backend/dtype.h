// Element types of tensors, their names and sizes.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string_view>

namespace cornu {

/// Element type of a tensor. Names are Keras's (`dtype_name`).
enum class DType : uint8_t {
  boolean,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  string,         ///< host only: stored as int32 indices into the tensor's table of strings
  complex64,      ///< stored as two float32, the real and the imaginary part; no kernel takes it
  complex128,     ///< stored as two float64
  float8_e4m3fn,  ///< to store numbers up to 448: no kernel takes it but as uint8, its bits
  float8_e5m2,    ///< the same for numbers up to 57344, and infinities
};

/// How many types of real numbers there are; they come before `string`.
inline constexpr int dtype_count = 13;

/// Size of one element in bytes.
constexpr size_t size_of(DType dtype) {
  constexpr uint8_t sizes[dtype_count + 5] = {1, 1, 2, 4, 8, 1, 2,  4, 8,
                                              2, 2, 4, 8, 4, 8, 16, 1, 1};
  return sizes[static_cast<int>(dtype)];
}

/// 16-, 32- and 64-bit floats
constexpr bool is_float(DType dtype) { return dtype >= DType::float16 && dtype <= DType::float64; }
constexpr bool is_signed_int(DType dtype) {
  return dtype >= DType::int8 && dtype <= DType::int64;
}  ///< int8 to int64
/// uint8 to uint64
constexpr bool is_unsigned_int(DType dtype) {
  return dtype >= DType::uint8 && dtype <= DType::uint64;
}
/// signed or unsigned, not bool
constexpr bool is_int(DType dtype) { return dtype >= DType::uint8 && dtype <= DType::int64; }
/// complex64 and complex128
constexpr bool is_complex(DType dtype) {
  return dtype == DType::complex64 || dtype == DType::complex128;
}
/// An 8-bit float. (Not `is_float`, which is for types that are computed with.)
constexpr bool is_float8(DType dtype) { return dtype >= DType::float8_e4m3fn; }
/// The type of a complex type's parts; of other types the type itself.
constexpr DType real_type(DType dtype) {
  if (dtype == DType::complex64) return DType::float32;
  return dtype == DType::complex128 ? DType::float64 : dtype;
}

/// "float32", "bool", ...
std::string_view dtype_name(DType dtype);
/// Writes the name.
std::ostream& operator<<(std::ostream& out, DType dtype);

/// The type with this Keras name. Throws ValueError with a did-you-mean otherwise.
DType dtype_of(std::string_view name);

/// 16-bit floats are stored as their bits; these convert with round-to-nearest-even.
uint16_t float_to_half(float value);
/// The value of a float16 given by its bits, exact.
float half_to_float(uint16_t bits);
/// The bits of the nearest bfloat16, ties to even.
uint16_t float_to_bfloat16(float value);
/// The value of a bfloat16 given by its bits, exact.
float bfloat16_to_float(uint16_t bits);

/// 8-bit floats by their bits, likewise. What is too large becomes NaN (e4m3fn, which has no
/// infinity) or infinity.
uint8_t float_to_float8(float value, DType dtype);
/// The value of an 8-bit float given by its bits, exact.
float float8_to_float(uint8_t bits, DType dtype);

/// Storage type of a 16-bit float, distinct from uint16_t so that overloads can tell.
struct Half {
  uint16_t bits;  ///< IEEE 754 binary16
};
/// Storage type of a bfloat16, likewise.
struct BFloat16 {
  uint16_t bits;  ///< the upper half of a float32
};

template <class T>
struct dtype_for;
template <>
struct dtype_for<bool> {
  static constexpr DType value = DType::boolean;
};
template <>
struct dtype_for<uint8_t> {
  static constexpr DType value = DType::uint8;
};
template <>
struct dtype_for<uint16_t> {
  static constexpr DType value = DType::uint16;
};
template <>
struct dtype_for<uint32_t> {
  static constexpr DType value = DType::uint32;
};
template <>
struct dtype_for<uint64_t> {
  static constexpr DType value = DType::uint64;
};
template <>
struct dtype_for<int8_t> {
  static constexpr DType value = DType::int8;
};
template <>
struct dtype_for<int16_t> {
  static constexpr DType value = DType::int16;
};
template <>
struct dtype_for<int32_t> {
  static constexpr DType value = DType::int32;
};
template <>
struct dtype_for<int64_t> {
  static constexpr DType value = DType::int64;
};
template <>
struct dtype_for<Half> {
  static constexpr DType value = DType::float16;
};
template <>
struct dtype_for<BFloat16> {
  static constexpr DType value = DType::bfloat16;
};
template <>
struct dtype_for<float> {
  static constexpr DType value = DType::float32;
};
template <>
struct dtype_for<double> {
  static constexpr DType value = DType::float64;
};

/// The DType that stores a C++ type: dtype_for_v<float> is DType::float32.
template <class T>
inline constexpr DType dtype_for_v = dtype_for<T>::value;

/// Throws UnsupportedError: something that handles elements one by one met complex numbers or 8-bit
/// floats.
[[noreturn]] void refuse_elements(DType dtype);

/// Calls `f.template operator()<T>()` with the storage type T of `dtype`. Throws UnsupportedError
/// for complex numbers, which are handled as pairs of real ones, and for 8-bit floats, whose bits
/// are handled.
template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::boolean:
      return f.template operator()<bool>();
    case DType::uint8:
      return f.template operator()<uint8_t>();
    case DType::uint16:
      return f.template operator()<uint16_t>();
    case DType::uint32:
      return f.template operator()<uint32_t>();
    case DType::uint64:
      return f.template operator()<uint64_t>();
    case DType::int8:
      return f.template operator()<int8_t>();
    case DType::int16:
      return f.template operator()<int16_t>();
    case DType::int32:
      return f.template operator()<int32_t>();
    case DType::int64:
      return f.template operator()<int64_t>();
    case DType::float16:
      return f.template operator()<Half>();
    case DType::bfloat16:
      return f.template operator()<BFloat16>();
    case DType::float32:
      return f.template operator()<float>();
    case DType::string:
      return f.template operator()<int32_t>();
    case DType::complex64:
    case DType::complex128:
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      refuse_elements(dtype);
    case DType::float64:
      break;
  }
  return f.template operator()<double>();
}

}  // namespace cornu
