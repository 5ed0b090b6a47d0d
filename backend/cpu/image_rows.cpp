// Rows as floats, and their weighted sums.
#include "../image_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/image_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::image {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<float>;
using B = hn::Rebind<uint8_t, F>;

void floats_of_bytes(const uint8_t* from, int64_t n, float* to) {
  const F d;
  const hn::Rebind<int32_t, F> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(B(), from + i))), d, to + i);
  for (; i < n; ++i) to[i] = from[i];
}

HWY_INLINE void store(hn::Vec<F> sum, uint8_t* to) {
  hn::StoreU(hn::DemoteTo(B(), hn::NearestInt(sum)), B(), to);
}
HWY_INLINE void store(hn::Vec<F> sum, float* to) { hn::StoreU(sum, F(), to); }

// Four vectors at a time, as far as they go, and how far: each sum has to wait for its own last one
// only. It pays where there are many taps.
template <class T>
HWY_NOINLINE int64_t weighted_fours(const float* const* rows, const float* weights, int64_t taps,
                                    int64_t n, T* to) {
  const F d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto first = hn::Set(d, weights[0]);
    auto s0 = hn::Mul(hn::LoadU(d, rows[0] + i), first),
         s1 = hn::Mul(hn::LoadU(d, rows[0] + i + lanes), first),
         s2 = hn::Mul(hn::LoadU(d, rows[0] + i + 2 * lanes), first),
         s3 = hn::Mul(hn::LoadU(d, rows[0] + i + 3 * lanes), first);
    for (int64_t k = 1; k < taps; ++k) {
      const float* const row = rows[k] + i;
      const auto weight = hn::Set(d, weights[k]);
      s0 = hn::MulAdd(hn::LoadU(d, row), weight, s0);
      s1 = hn::MulAdd(hn::LoadU(d, row + lanes), weight, s1);
      s2 = hn::MulAdd(hn::LoadU(d, row + 2 * lanes), weight, s2);
      s3 = hn::MulAdd(hn::LoadU(d, row + 3 * lanes), weight, s3);
    }
    store(s0, to + i);
    store(s1, to + i + lanes);
    store(s2, to + i + 2 * lanes);
    store(s3, to + i + 3 * lanes);
  }
  return i;
}

template <class T>
void weighted_as(const float* const* rows, const float* weights, int64_t taps, int64_t n, T* to) {
  const F d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = taps > 2 ? weighted_fours(rows, weights, taps, n, to) : 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::Mul(hn::LoadU(d, rows[0] + i), hn::Set(d, weights[0]));
    for (int64_t k = 1; k < taps; ++k)
      sum = hn::MulAdd(hn::LoadU(d, rows[k] + i), hn::Set(d, weights[k]), sum);
    store(sum, to + i);
  }
  for (; i < n; ++i) {
    float sum = 0;
    for (int64_t k = 0; k < taps; ++k) sum += rows[k][i] * weights[k];
    if constexpr (sizeof(T) == 1)
      to[i] = static_cast<uint8_t>(std::nearbyint(std::clamp(sum, 0.0f, 255.0f)));
    else
      to[i] = sum;
  }
}

void weighted(const float* const* rows, const float* weights, int64_t taps, int64_t n, void* to,
              bool bytes) {
  if (bytes)
    weighted_as(rows, weights, taps, n, static_cast<uint8_t*>(to));
  else
    weighted_as(rows, weights, taps, n, static_cast<float*>(to));
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::image {

HWY_EXPORT(floats_of_bytes);
HWY_EXPORT(weighted);

void read_row(const Picture& from, int64_t y, int64_t left, int64_t width, float* to) {
  const int64_t start = left * from.channels, n = width * from.channels;
  if (from.dtype == DType::uint8)
    HWY_DYNAMIC_DISPATCH(floats_of_bytes)(from.row_as<uint8_t>(y) + start, n, to);
  else
    std::memcpy(to, from.row_as<float>(y) + start, static_cast<size_t>(n) * sizeof(float));
}

void weigh_rows(std::span<const float* const> rows, const float* weights, const Picture& to,
                int64_t y) {
  HWY_DYNAMIC_DISPATCH(weighted)
  (rows.data(), weights, static_cast<int64_t>(rows.size()), to.row_values(), to.row(y),
   to.dtype == DType::uint8);
}

void weigh_rows(std::span<const float* const> rows, const float* weights, int64_t n, float* to) {
  HWY_DYNAMIC_DISPATCH(weighted)
  (rows.data(), weights, static_cast<int64_t>(rows.size()), n, to, false);
}

}  // namespace cornu::backend::image
#endif
