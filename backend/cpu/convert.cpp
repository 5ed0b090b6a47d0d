// Conversions between element types; those of 16-bit floats use the machine's instructions.
#include "convert.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "parallel.h"
#include "targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cornu/backend/cpu/convert.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

HWY_ATTR void from_half(const Half* from, float* to, int64_t count) {
  int64_t i = 0;
#if HWY_TARGET <= HWY_AVX2  // older sets emulate it, and do not round
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from + i))),
               d, to + i);
#endif
  for (; i < count; ++i) to[i] = half_to_float(from[i].bits);
}

HWY_ATTR void to_half(const float* from, Half* to, int64_t count) {
  int64_t i = 0;
#if HWY_TARGET <= HWY_AVX2
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (; i + lanes <= count; i += lanes)
    hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, from + i)), half,
               reinterpret_cast<hwy::float16_t*>(to + i));
#endif
  for (; i < count; ++i) to[i].bits = float_to_half(from[i]);
}

// The compiler turns these two into vectors.
HWY_ATTR void from_bfloat16(const BFloat16* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = std::bit_cast<float>(static_cast<uint32_t>(from[i].bits) << 16);
}

HWY_ATTR void to_bfloat16(const float* from, BFloat16* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(from[i]);
    const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const uint32_t quiet = (bits >> 16) | 0x40;  // of a NaN
    to[i].bits = static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? quiet : rounded);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {
namespace {

HWY_EXPORT(from_half);
HWY_EXPORT(to_half);
HWY_EXPORT(from_bfloat16);
HWY_EXPORT(to_bfloat16);

template <class T>
constexpr bool is_16_bit_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class From, class To>
void convert_range(const From* from, To* to, int64_t count) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(to, from, sizeof(To) * static_cast<size_t>(count));
  } else if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, float>) {
    HWY_DYNAMIC_DISPATCH(from_half)(from, to, count);
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Half>) {
    HWY_DYNAMIC_DISPATCH(to_half)(from, to, count);
  } else if constexpr (std::is_same_v<From, BFloat16> && std::is_same_v<To, float>) {
    HWY_DYNAMIC_DISPATCH(from_bfloat16)(from, to, count);
  } else if constexpr (std::is_same_v<From, float> && std::is_same_v<To, BFloat16>) {
    HWY_DYNAMIC_DISPATCH(to_bfloat16)(from, to, count);
  } else if constexpr (is_16_bit_float<From> || is_16_bit_float<To>) {
    // By way of float32, in pieces that stay in the cache.
    float buffer[256];
    for (int64_t i = 0; i < count; i += 256) {
      const int64_t piece = std::min<int64_t>(256, count - i);
      convert_range(from + i, buffer, piece);
      convert_range(buffer, to + i, piece);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<To>(from[i]);
  }
}

template <class From>
void convert_from(const From* from, void* to, DType to_type, int64_t begin, int64_t count) {
  dispatch(to_type,
           [&]<class To>() { convert_range(from + begin, static_cast<To*>(to) + begin, count); });
}

}  // namespace

DType compute_type(DType first, DType second, DType out) {
  for (const DType type : {first, second, out})
    if (type == DType::float64) return DType::float64;
  for (const DType type : {first, second, out})
    if (is_float(type)) return DType::float32;
  return size_of(out) == 8 ? DType::uint64 : DType::uint32;
}

void convert(const void* from, DType from_type, void* to, DType to_type, int64_t count) {
  parallel_for(count, count, [&](int64_t begin, int64_t end) {
    dispatch(from_type, [&]<class From>() {
      convert_from(static_cast<const From*>(from), to, to_type, begin, end - begin);
    });
  });
}

}  // namespace cornu::backend::cpu
#endif  // HWY_ONCE
