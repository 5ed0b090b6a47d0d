// Resizing of pixels to floats. Neighbors in a row of bytes are blended first, by weights of 2^-14
// and therefore without rounding, once for each row that is needed; then rows, whose sums are
// scaled and written past the caches: a batch is larger than they are.
#include "../pixels.h"

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "pixel_columns.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/pixels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Blends neighbors: sums of products of whole numbers below 2^24, the same bits in each of the
// ways.
void blend_columns(const uint8_t* row, const PixelColumns& columns, float* out) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  if (columns.windows > 0) {
    const hn::FixedTag<uint8_t, 16> bytes;
    const hn::FixedTag<int16_t, 16> wide;
    const hn::FixedTag<int32_t, 8> whole;
    const hn::FixedTag<float, 8> d;
    const auto picked = [&](size_t i) HWY_ATTR {
      return hn::TableLookupBytesOr0(hn::LoadU(bytes, row + columns.begins[i]),
                                     hn::LoadU(bytes, columns.places.data() + 16 * i));
    };
    const bool two = columns.windows == 2;
    for (size_t v = 0; v < columns.begins.size() / 2; ++v) {
      auto pairs = picked(2 * v);
      if (two) pairs = hn::Or(pairs, picked(2 * v + 1));
      auto unused = hn::Zero(whole);
      const auto sums = hn::ReorderWidenMulAccumulate(
          whole, hn::PromoteTo(wide, pairs), hn::LoadU(wide, columns.weights.data() + 16 * v),
          hn::Zero(whole), unused);
      hn::StoreU(hn::ConvertTo(d, hn::RearrangeToOddPlusEven(sums, unused)), d, out + 8 * v);
    }
    return;
  }
#endif
  for (size_t i = 0; i < columns.left.size(); ++i)
    out[i] = static_cast<float>(row[columns.left[i]] * columns.weights[2 * i] +
                                row[columns.right[i]] * columns.weights[2 * i + 1]);
}

// (a + (b - a) * weight) * scale + offset. Products are not contracted: results are the same on
// every machine.
void blend_rows(const float* a, const float* b, float weight, const float* scale,
                const float* offset, float* out, size_t count) {
  const hn::ScalableTag<float> d;
  const auto w = hn::Set(d, weight);
  const size_t lanes = hn::Lanes(d);
  const bool aligned = reinterpret_cast<uintptr_t>(out) % (lanes * sizeof(float)) == 0;
  size_t i = 0;
  const auto at = [&](size_t k) HWY_ATTR {
    const auto x = hn::LoadU(d, a + k);
    const auto level = hn::Add(x, hn::Mul(hn::Sub(hn::LoadU(d, b + k), x), w));
    return hn::Add(hn::Mul(level, hn::LoadU(d, scale + k)), hn::LoadU(d, offset + k));
  };
  if (aligned)
    for (; i + lanes <= count; i += lanes) hn::Stream(at(i), d, out + i);
  else
    for (; i + lanes <= count; i += lanes) hn::StoreU(at(i), d, out + i);
  for (; i < count; ++i) out[i] = (a[i] + (b[i] - a[i]) * weight) * scale[i] + offset[i];
}

// Sums of `lines` rows, at most 8, of `count` bytes.
void sum_rows(const uint8_t* from, size_t stride, size_t lines, int16_t* sums, size_t count) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto sum = hn::Zero(d);
    for (size_t k = 0; k < lines; ++k)
      sum = hn::Add(sum, hn::PromoteTo(d, hn::LoadU(bytes, from + k * stride + i)));
    hn::StoreU(sum, d, sums + i);
  }
  for (; i < count; ++i) {
    int16_t sum = 0;
    for (size_t k = 0; k < lines; ++k) sum = static_cast<int16_t>(sum + from[k * stride + i]);
    sums[i] = sum;
  }
}

// Sums of 2^bits of the sums, `step` values apart, divided by 2^(2 * bits) and rounded: at most
// 8 * 8 * 255.
void mean_columns(const int16_t* sums, size_t step, int bits, uint8_t* out, size_t count) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> bytes;
  const size_t lanes = hn::Lanes(d), terms = size_t{1} << bits;
  const int half = 1 << (2 * bits - 1);
  const auto rounding = hn::Set(d, static_cast<int16_t>(half));
  size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    auto sum = rounding;
    for (size_t k = 0; k < terms; ++k) sum = hn::Add(sum, hn::LoadU(d, sums + i + k * step));
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRightSame(sum, 2 * bits)), bytes, out + i);
  }
  for (; i < count; ++i) {
    int sum = half;
    for (size_t k = 0; k < terms; ++k) sum += sums[i + k * step];
    out[i] = static_cast<uint8_t>(sum >> (2 * bits));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend {
namespace cpu {

HWY_EXPORT(blend_columns);
HWY_EXPORT(blend_rows);
HWY_EXPORT(sum_rows);
HWY_EXPORT(mean_columns);

namespace {

// The last two rows of a kind that were made, of which the even and the odd one have a place each.
template <class T>
struct LastRows {
  explicit LastRows(size_t values)
      : rows{hwy::AllocateAligned<T>(values), hwy::AllocateAligned<T>(values)} {}
  // Row y, which `make` fills if it is not there.
  template <class F>
  const T* row(int64_t y, F&& make) {
    const auto slot = static_cast<size_t>(y & 1);
    if (numbers[slot] != y) make(rows[slot].get());
    numbers[slot] = y;
    return rows[slot].get();
  }
  std::array<hwy::AlignedFreeUniquePtr<T[]>, 2> rows;
  std::array<int64_t, 2> numbers{-1, -1};
};

// Rows of means over the squares of a grid, from one of its columns of squares to another.
class MeanRows {
 public:
  MeanRows(const PixelGrid& grid, int64_t reduction, int64_t first, int64_t last)
      : grid_(grid),
        reduction_(reduction),
        squares_(last - first + 1),
        left_(first * reduction),
        columns_(std::min((last + 1) * reduction, grid.width) - left_),
        sums_(static_cast<size_t>(squares_ * reduction * grid.bytes)),
        apart_(sums_.size()) {}

  // Row y of means, as pixels of the grid's kind.
  void fill(int64_t y, uint8_t* means) {
    const int64_t top = y * reduction_, lines = std::min(reduction_, grid_.height - top);
    const auto step = static_cast<size_t>(grid_.bytes);
    const auto stride = static_cast<size_t>(grid_.width) * step;
    const size_t values = static_cast<size_t>(columns_) * step;
    const size_t beside = static_cast<size_t>(reduction_ - 1) * step;
    HWY_DYNAMIC_DISPATCH(sum_rows)
    (grid_.pixels + static_cast<size_t>(top) * stride + static_cast<size_t>(left_) * step, stride,
     static_cast<size_t>(lines), sums_.data(), values);
    // Squares of which the grid has only a part are at its last column and row.
    const int64_t whole = lines < reduction_ ? 0 : columns_ / reduction_;
    if (whole > 0) {
      HWY_DYNAMIC_DISPATCH(mean_columns)
      (sums_.data(), step, std::countr_zero(static_cast<uint64_t>(reduction_)), apart_.data(),
       values - beside);
      // One mean begins at each pixel: those of the squares move together.
      const size_t next = static_cast<size_t>(reduction_) * step;
      for (size_t x = 0; x < static_cast<size_t>(whole); ++x)
        std::memcpy(means + x * step, apart_.data() + x * next, 3);
    }
    for (int64_t x = whole; x < squares_; ++x) fill_part(means, x, lines);
  }

 private:
  void fill_part(uint8_t* means, int64_t x, int64_t lines) const {
    const int64_t begin = x * reduction_, end = std::min(begin + reduction_, columns_);
    const int64_t count = (end - begin) * lines;
    for (int64_t c = 0; c < 3; ++c) {
      int64_t sum = count / 2;
      for (int64_t u = begin; u < end; ++u) sum += sums_[static_cast<size_t>(u * grid_.bytes + c)];
      means[x * grid_.bytes + c] = static_cast<uint8_t>(sum / count);
    }
  }

  const PixelGrid& grid_;
  int64_t reduction_, squares_;
  int64_t left_, columns_;  // of the grid
  std::vector<int16_t> sums_;
  std::vector<uint8_t> apart_;
};

// Each channel's number for all values of a row.
std::vector<float> repeated(const std::array<float, 3>& numbers, float factor, size_t count) {
  std::vector<float> row(count);
  for (size_t i = 0; i < count; ++i) row[i] = numbers[i % 3] * factor;
  return row;
}

// A row of pixels becomes rows of three planes.
void put_planes(const float* pixels, const PixelTarget& target, int64_t y) {
  const auto width = static_cast<size_t>(target.width);
  const size_t plane = width * static_cast<size_t>(target.height);
  for (size_t c = 0; c < 3; ++c) {
    float* const row = target.values + c * plane + static_cast<size_t>(y) * width;
    for (size_t x = 0; x < width; ++x) row[x] = pixels[3 * x + c];
  }
}

}  // namespace
}  // namespace cpu

void resize_pixels(const PixelGrid& grid, const PixelBox& box, const PixelTarget& target) {
  using namespace cpu;
  const int64_t reduction = box.reduction;
  const auto scaled = [&](double at) { return at / static_cast<double>(reduction); };
  const auto squares = [&](int64_t size) { return (size + reduction - 1) / reduction; };
  const std::vector<PixelTap> rows =
      pixel_taps(scaled(box.top), scaled(box.height), squares(grid.height), target.height, false);
  const std::vector<PixelTap> taps = pixel_taps(scaled(box.left), scaled(box.width),
                                                squares(grid.width), target.width, target.flip);
  const int64_t first = std::min(taps.front().first, taps.back().first);
  const int64_t last = std::max(taps.front().second, taps.back().second);
  const PixelColumns columns(taps, first, last, grid.bytes);

  MeanRows means(grid, reduction, first, last);
  LastRows<uint8_t> mean_rows(columns.bytes);
  const auto source = [&](int64_t y) -> const uint8_t* {
    if (reduction == 1) return grid.pixels + (y * grid.width + first) * grid.bytes;
    return mean_rows.row(y, [&](uint8_t* to) { means.fill(y, to); });
  };
  LastRows<float> blended(columns.values());
  const auto blended_row = [&](int64_t y) {
    return blended.row(y, [&](float* to) {
      HWY_DYNAMIC_DISPATCH(blend_columns)(source(y), columns, to);
    });
  };

  const size_t values = static_cast<size_t>(target.width) * 3;
  const std::vector<float> scale = repeated(target.scale, 1.0f / PixelColumns::whole, values),
                           offset = repeated(target.offset, 1, values);
  std::vector<float> pixels(target.channels_first ? values : 0);
  for (int64_t y = 0; y < target.height; ++y) {
    const PixelTap& tap = rows[static_cast<size_t>(y)];
    const float* const upper = blended_row(tap.first);
    float* const out =
        target.channels_first ? pixels.data() : target.values + static_cast<size_t>(y) * values;
    HWY_DYNAMIC_DISPATCH(blend_rows)
    (upper, blended_row(tap.second), tap.weight, scale.data(), offset.data(), out, values);
    if (target.channels_first) put_planes(pixels.data(), target, y);
  }
  hwy::FlushStream();
}

}  // namespace cornu::backend
#endif
