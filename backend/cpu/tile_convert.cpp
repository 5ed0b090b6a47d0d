// Conversion loops between all stored types and the compute types.
#include "tile_convert.h"

#include <bit>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "../error.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/tile_convert.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
inline constexpr bool is_short_float = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

HWY_INLINE uint16_t bfloat16_bits(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint32_t rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40;
  return static_cast<uint16_t>((bits & 0x7FFFFFFF) > 0x7F800000 ? quiet : rounded);
}

template <class From, class To>
HWY_INLINE To cast(From x) {
  if constexpr (std::is_same_v<From, Half>) {
    return cast<float, To>(half_to_float(x.bits));
  } else if constexpr (std::is_same_v<From, BFloat16>) {
    return cast<float, To>(std::bit_cast<float>(uint32_t{x.bits} << 16));
  } else if constexpr (std::is_same_v<To, Half>) {
    return Half{float_to_half(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<To, BFloat16>) {
    return BFloat16{bfloat16_bits(static_cast<float>(x))};
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    // The upper bound is rounded up to a power of two where From cannot hold the largest To.
    constexpr From low = static_cast<From>(std::numeric_limits<To>::min());
    constexpr From high = static_cast<From>(std::numeric_limits<To>::max());
    if (x != x) return 0;
    if (x >= high) return std::numeric_limits<To>::max();
    if (x <= low) return std::numeric_limits<To>::min();
    return static_cast<To>(x);
  } else {
    return static_cast<To>(x);
  }
}

template <class From, class To>
void convert_loop(const void* from_, void* to_, int64_t n) {
  const From* from = static_cast<const From*>(from_);
  To* to = static_cast<To*>(to_);
  if constexpr (std::is_same_v<From, To>) {
    if (from != to) std::memcpy(to, from, static_cast<size_t>(n) * sizeof(To));
    return;
  }
  int64_t i = 0;
#if HWY_TARGET <= HWY_AVX2  // the portable target emulates halves without rounding
  const hn::ScalableTag<float> d;
  const hn::Rebind<hwy::float16_t, decltype(d)> half;
  constexpr int64_t lanes = hn::MaxLanes(d);
  if constexpr (std::is_same_v<From, Half> && std::is_same_v<To, float>) {
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(
          hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(from + i))), d,
          to + i);
  }
  if constexpr (std::is_same_v<From, float> && std::is_same_v<To, Half>) {
    for (; i + lanes <= n; i += lanes)
      hn::StoreU(hn::DemoteTo(half, hn::LoadU(d, from + i)), half,
                 reinterpret_cast<hwy::float16_t*>(to + i));
  }
#endif
  // Pieces of a fixed length, which compilers turn into vectors.
  constexpr int64_t piece = 16;
  for (; i + piece <= n; i += piece)
    for (int64_t k = 0; k < piece; ++k) to[i + k] = cast<From, To>(from[i + k]);
  for (; i < n; ++i) to[i] = cast<From, To>(from[i]);
}

template <class T>
inline constexpr bool is_compute =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> ||
    std::is_same_v<T, int64_t> || std::is_same_v<T, uint64_t>;

template <class From, class To>
constexpr ConvertTile loop_or_null() {
  if constexpr (is_compute<From> || is_compute<To>)
    return &convert_loop<From, To>;
  else
    return nullptr;
}

ConvertTile find(DType from, DType to) {
  return dispatch(from, [to]<class From>() {
    return dispatch(to, []<class To>() { return loop_or_null<From, To>(); });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::cpu {

HWY_EXPORT(find);

ConvertTile convert_tile(DType from, DType to) {
  struct Table {
    ConvertTile loops[dtype_count][dtype_count];
    Table() {
      for (int i = 0; i < dtype_count; ++i)
        for (int k = 0; k < dtype_count; ++k)
          loops[i][k] = HWY_DYNAMIC_DISPATCH(find)(static_cast<DType>(i), static_cast<DType>(k));
    }
  };
  static const Table table;
  const ConvertTile loop = table.loops[static_cast<int>(from)][static_cast<int>(to)];
  if (loop == nullptr)
    throw ValueError("convert_tile: expected a compute type on one side, found " +
                     std::string(dtype_name(from)) + " and " + std::string(dtype_name(to)) +
                     ". Convert by way of float32 or int64.");
  return loop;
}

}  // namespace cornu::backend::cpu
#endif
