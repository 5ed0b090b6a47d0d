// Resizing of pixels to floats. Neighbors in a row of bytes are blended first, by shares of 2^-14
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
          whole, hn::PromoteTo(wide, pairs), hn::LoadU(wide, columns.shares.data() + 16 * v),
          hn::Zero(whole), unused);
      hn::StoreU(hn::ConvertTo(d, hn::RearrangeToOddPlusEven(sums, unused)), d, out + 8 * v);
    }
    return;
  }
#endif
  for (size_t i = 0; i < columns.left.size(); ++i)
    out[i] = static_cast<float>(row[columns.left[i]] * columns.shares[2 * i] +
                                row[columns.right[i]] * columns.shares[2 * i + 1]);
}

// (a + (b - a) * share) * scale + offset. Products are not contracted: results are the same on
// every machine.
void blend_rows(const float* a, const float* b, float share, const float* scale,
                const float* offset, float* out, size_t count) {
  const hn::ScalableTag<float> d;
  const auto w = hn::Set(d, share);
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
  for (; i < count; ++i) out[i] = (a[i] + (b[i] - a[i]) * share) * scale[i] + offset[i];
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

// Rows of the result from rows of pixels in order, each of which is blended once.
class RowBlender {
 public:
  RowBlender(const PixelGrid& grid, const PixelBox& box, const PixelTarget& target)
      : RowBlender(grid, target,
                   pixel_taps(scaled(box.top, box), scaled(box.height, box),
                              squares(grid.height, box), target.height, false),
                   pixel_taps(scaled(box.left, box), scaled(box.width, box),
                              squares(grid.width, box), target.width, target.flip)) {}
  ~RowBlender() { hwy::FlushStream(); }
  RowBlender(const RowBlender&) = delete;
  RowBlender& operator=(const RowBlender&) = delete;

  // Columns of pixels, or of means, that are looked at.
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }
  // Bytes of these columns.
  size_t bytes() const { return columns_.bytes; }
  // The next row that is looked at; none behind the last.
  int64_t wanted() const {
    return next_ < taps_.size() ? std::max(taps_[next_].first, blended_ + 1) : INT64_MAX;
  }

  // A wanted row, from column first() on.
  void add(int64_t y, const uint8_t* row) {
    blended_ = y;
    HWY_DYNAMIC_DISPATCH(blend_columns)(row, columns_, rows_[y & 1].get());
    for (; next_ < taps_.size() && taps_[next_].second == y; ++next_) put(taps_[next_]);
  }

 private:
  RowBlender(const PixelGrid& grid, const PixelTarget& target, std::vector<PixelTap> rows,
             const std::vector<PixelTap>& columns)
      : target_(target),
        taps_(std::move(rows)),
        first_(std::min(columns.front().first, columns.back().first)),
        last_(std::max(columns.front().second, columns.back().second)),
        columns_(columns, first_, last_, grid.bytes),
        values_(static_cast<size_t>(target.width) * 3),
        scale_(repeated(target.scale, 1.0f / PixelColumns::whole, values_)),
        offset_(repeated(target.offset, 1, values_)),
        pixels_(target.channels_first ? values_ : 0),
        rows_{hwy::AllocateAligned<float>(columns_.values()),
              hwy::AllocateAligned<float>(columns_.values())} {}

  static double scaled(double at, const PixelBox& box) {
    return at / static_cast<double>(box.reduction);
  }
  static int64_t squares(int64_t size, const PixelBox& box) {
    return (size + box.reduction - 1) / box.reduction;
  }

  void put(const PixelTap& tap) {
    const auto y = static_cast<size_t>(next_);
    float* const out = target_.channels_first ? pixels_.data() : target_.values + y * values_;
    HWY_DYNAMIC_DISPATCH(blend_rows)
    (rows_[tap.first & 1].get(), rows_[tap.second & 1].get(), tap.share, scale_.data(),
     offset_.data(), out, values_);
    if (target_.channels_first) put_planes(pixels_.data(), target_, static_cast<int64_t>(y));
  }

  PixelTarget target_;
  std::vector<PixelTap> taps_;  // of the rows
  int64_t first_, last_;
  PixelColumns columns_;
  size_t values_;
  std::vector<float> scale_, offset_, pixels_;
  // The last two rows that were blended: the even one and the odd one.
  std::array<hwy::AlignedFreeUniquePtr<float[]>, 2> rows_;
  size_t next_ = 0;       // row of the result
  int64_t blended_ = -1;  // the last row that came
};

}  // namespace
}  // namespace cpu

void resize_pixels(const PixelGrid& grid, const PixelBox& box, const PixelTarget& target) {
  cpu::RowBlender blender(grid, box, target);
  const auto add_all = [&](auto&& row) {
    for (int64_t y = blender.wanted(); y != INT64_MAX; y = blender.wanted()) blender.add(y, row(y));
  };
  if (box.reduction == 1)
    return add_all(
        [&](int64_t y) { return grid.pixels + (y * grid.width + blender.first()) * grid.bytes; });
  cpu::MeanRows means(grid, box.reduction, blender.first(), blender.last());
  const auto memory = hwy::AllocateAligned<uint8_t>(blender.bytes());
  add_all([&](int64_t y) {
    means.fill(y, memory.get());
    return memory.get();
  });
}

struct PixelRows::State {
  cpu::RowBlender blender;
  int64_t bytes;
};

PixelRows::PixelRows(const PixelGrid& grid, const PixelBox& box, const PixelTarget& target)
    : state_(new State{{grid, box, target}, grid.bytes}) {}

PixelRows::~PixelRows() = default;

void PixelRows::add(int64_t y, const uint8_t* row) {
  cpu::RowBlender& blender = state_->blender;
  if (y == blender.wanted()) blender.add(y, row + blender.first() * state_->bytes);
}

}  // namespace cornu::backend
#endif
