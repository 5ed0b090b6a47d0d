// Resizing of pixels to floats: rows are blended over the whole width first, then columns, with the
// four bytes of a pixel side by side in a vector.
#include "../pixels.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/pixels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef CORNU_PIXELS_TAPS
#define CORNU_PIXELS_TAPS
namespace cornu::backend::cpu {

// Of one place of the result: the two places that it lies between.
struct PixelTap {
  int64_t first, second;
  float weight;  // of the second
};

}  // namespace cornu::backend::cpu
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// a + (b - a) * weight of bytes, as floats. Products are not contracted: results are the same on
// every machine.
void blend_rows(const uint8_t* a, const uint8_t* b, float weight, float* out, size_t count) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const hn::Rebind<int32_t, decltype(d)> whole;
  const auto w = hn::Set(d, weight);
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto x = hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(bytes, a + i)));
    const auto y = hn::ConvertTo(d, hn::PromoteTo(whole, hn::LoadU(bytes, b + i)));
    hn::StoreU(hn::Add(x, hn::Mul(hn::Sub(y, x), w)), d, out + i);
  }
  for (; i < count; ++i) {
    const float x = a[i], y = b[i];
    out[i] = x + (y - x) * weight;
  }
}

// One row of the target, four floats a pixel; the last of them is garbage that the next pixel
// overwrites, so `out` has room for one float more.
template <size_t step>
void blend_columns(const float* row, const PixelTap* taps, const float* scale, const float* offset,
                   float* out, size_t width) {
  const hn::CappedTag<float, 4> d;  // one lane where there are no vectors
  constexpr size_t lanes = hn::MaxLanes(decltype(d)());
  for (size_t i = 0; i < width; ++i) {
    const PixelTap& tap = taps[i];
    const auto weight = hn::Set(d, tap.weight);
    for (size_t k = 0; k < 4; k += lanes) {
      const auto x = hn::LoadU(d, row + tap.first + k), y = hn::LoadU(d, row + tap.second + k);
      const auto value = hn::Add(x, hn::Mul(hn::Sub(y, x), weight));
      hn::StoreU(hn::Add(hn::Mul(value, hn::LoadU(d, scale + k)), hn::LoadU(d, offset + k)), d,
                 out + step * i + k);
    }
  }
}

void blend_columns_packed(const float* row, const PixelTap* taps, const float* scale,
                          const float* offset, float* out, size_t width) {
  blend_columns<3>(row, taps, scale, offset, out, width);
}
void blend_columns_spaced(const float* row, const PixelTap* taps, const float* scale,
                          const float* offset, float* out, size_t width) {
  blend_columns<4>(row, taps, scale, offset, out, width);
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend {
namespace cpu {

HWY_EXPORT(blend_rows);
HWY_EXPORT(blend_columns_packed);
HWY_EXPORT(blend_columns_spaced);

namespace {

std::vector<PixelTap> taps_of(double begin, double size, int64_t limit, int64_t count, bool flip) {
  const auto first = std::max<int64_t>(static_cast<int64_t>(std::floor(begin)), 0);
  const auto last = std::min(static_cast<int64_t>(std::ceil(begin + size)), limit) - 1;
  std::vector<PixelTap> taps(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    const double at =
        begin + (static_cast<double>(i) + 0.5) * size / static_cast<double>(count) - 0.5;
    const double inside = std::clamp(at, static_cast<double>(first), static_cast<double>(last));
    const auto low = static_cast<int64_t>(inside);
    taps[static_cast<size_t>(flip ? count - 1 - i : i)] = {
        low, std::min(low + 1, last), static_cast<float>(inside - static_cast<double>(low))};
  }
  return taps;
}

}  // namespace
}  // namespace cpu

void resize_pixels(const PixelGrid& grid, const PixelBox& box, const PixelTarget& target) {
  using namespace cpu;
  const std::vector<PixelTap> rows =
      taps_of(box.top, box.height, grid.height, target.height, false);
  std::vector<PixelTap> columns =
      taps_of(box.left, box.width, grid.width, target.width, target.flip);
  const int64_t first = std::min(columns.front().first, columns.back().first);
  const int64_t last = std::max(columns.front().second, columns.back().second);
  const size_t used = static_cast<size_t>(last - first + 1) * 4;
  for (PixelTap& tap : columns)
    tap.first = (tap.first - first) * 4, tap.second = (tap.second - first) * 4;
  const auto width = static_cast<size_t>(target.width);
  const size_t plane = width * static_cast<size_t>(target.height);
  const float scale[4] = {target.scale[0], target.scale[1], target.scale[2], 0};
  const float offset[4] = {target.offset[0], target.offset[1], target.offset[2], 0};
  // `out` has room for a vector behind its last pixel, which the target has not.
  std::vector<float> blended(used), out(4 * width + 4);
  for (int64_t y = 0; y < target.height; ++y) {
    const PixelTap& tap = rows[static_cast<size_t>(y)];
    const uint8_t* const start = grid.pixels + first * 4;
    HWY_DYNAMIC_DISPATCH(blend_rows)
    (start + tap.first * grid.width * 4, start + tap.second * grid.width * 4, tap.weight,
     blended.data(), used);
    if (!target.channels_first) {
      float* const row = target.values + static_cast<size_t>(y) * width * 3;
      const bool is_last = y + 1 == target.height;
      HWY_DYNAMIC_DISPATCH(blend_columns_packed)
      (blended.data(), columns.data(), scale, offset, is_last ? out.data() : row, width);
      if (is_last) std::copy_n(out.data(), width * 3, row);
      continue;
    }
    HWY_DYNAMIC_DISPATCH(blend_columns_spaced)
    (blended.data(), columns.data(), scale, offset, out.data(), width);
    for (size_t c = 0; c < 3; ++c) {
      float* const row = target.values + c * plane + static_cast<size_t>(y) * width;
      for (size_t x = 0; x < width; ++x) row[x] = out[4 * x + c];
    }
  }
}

}  // namespace cornu::backend
#endif
