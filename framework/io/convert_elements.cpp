// Conversion of arrays between element types.
#include "convert_elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace cornu::io {
namespace {

template <class T>
T load(const std::byte* at) {
  if constexpr (std::is_same_v<T, bool>) {
    // Any bit pattern may come from a file; only 0 and 1 are valid in a bool.
    return *at != std::byte{0};
  } else {
    T value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
}

/// The number that a stored element stands for.
template <class T>
auto widen(T value) {
  if constexpr (std::is_same_v<T, Half>)
    return half_to_float(value.bits);
  else if constexpr (std::is_same_v<T, BFloat16>)
    return bfloat16_to_float(value.bits);
  else
    return value;
}

template <class To, class From>
To narrow(From value) {
  if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_same_v<To, Half>) {
    return {float_to_half(static_cast<float>(value))};
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return {float_to_bfloat16(static_cast<float>(value))};
  } else if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    if (std::isnan(value)) return To{0};
    // 2^digits is exact in every float type, unlike the largest integer.
    const From above = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    if (value >= above) return std::numeric_limits<To>::max();
    if (value <= (std::is_signed_v<To> ? -above : From{-1})) return std::numeric_limits<To>::min();
    return static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
void convert(const std::byte* from, std::byte* to, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const To value = narrow<To>(widen(load<From>(from + i * sizeof(From))));
    std::memcpy(to + i * sizeof(To), &value, sizeof value);
  }
}

}  // namespace

void convert_elements(const void* from, DType from_dtype, void* to, DType to_dtype, size_t count) {
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  if (from_dtype == to_dtype && from_dtype != DType::boolean) {
    if (count > 0) std::memcpy(target, source, count * size_of(from_dtype));
    return;
  }
  if (is_complex(from_dtype) && is_complex(to_dtype))
    return convert_elements(from, real_type(from_dtype), to, real_type(to_dtype), 2 * count);
  dispatch(from_dtype, [&]<class From>() {
    dispatch(to_dtype, [&]<class To>() { convert<From, To>(source, target, count); });
  });
}

void swap_bytes(void* elements, size_t size, size_t count) {
  auto* bytes = static_cast<std::byte*>(elements);
  if (size < 2) return;
  for (size_t i = 0; i < count; ++i) std::reverse(bytes + i * size, bytes + (i + 1) * size);
}

}  // namespace cornu::io
