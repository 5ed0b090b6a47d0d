// Resizing as two sums of weighted pixels, along rows and then down columns.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "../image_batch.h"
#include "../image_resampling.h"
#include "../image_rows.h"
#include "parallel.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/image_resize.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef CORNU_IMAGE_RESIZE_ROW_WEIGHTS
#define CORNU_IMAGE_RESIZE_ROW_WEIGHTS
namespace cornu::backend::image {
// The weights along rows, as loops read them.
template <class T>
struct RowWeights {
  explicit RowWeights(const AxisWeights& axis)
      : taps(axis.taps),
        first(axis.first.begin(), axis.first.end()),
        weights(axis.weights.begin(), axis.weights.end()),
        by_tap(weights.size()) {
    for (size_t i = 0; i < weights.size(); ++i)
      by_tap[i % static_cast<size_t>(taps) * first.size() + i / static_cast<size_t>(taps)] =
          weights[i];
  }
  // Whether the result is the row itself.
  bool is_identity(int64_t size) const {
    if (taps != 1 || static_cast<int64_t>(first.size()) != size) return false;
    for (size_t i = 0; i < first.size(); ++i)
      if (first[i] != static_cast<int32_t>(i) || weights[i] != 1) return false;
    return true;
  }

  int64_t taps;
  std::vector<int32_t> first;
  std::vector<T> weights, by_tap;  // taps of each result together; and all results of each tap
};
}  // namespace cornu::backend::image
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::image {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Pixels of three or four values: one vector each.
void along_pixels(const float* from, const RowWeights<float>& axis, int64_t channels, float* to) {
  const hn::FixedTag<float, 4> d;
  const float* weights = axis.weights.data();
  for (const int32_t first : axis.first) {
    const float* p = from + first * channels;
    auto sum = hn::Mul(hn::LoadU(d, p), hn::Set(d, weights[0]));
    for (int64_t k = 1; k < axis.taps; ++k)
      sum = hn::MulAdd(hn::LoadU(d, p + k * channels), hn::Set(d, weights[k]), sum);
    hn::StoreU(sum, d, to);
    to += channels;
    weights += axis.taps;
  }
}

// Rows of single values: a vector of results at a time.
void along_values(const float* from, const RowWeights<float>& axis, float* to) {
  const hn::ScalableTag<float> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  const size_t lanes = hn::Lanes(d), n = axis.first.size();
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto at = hn::LoadU(di, axis.first.data() + i);
    auto sum = hn::Mul(hn::GatherIndex(d, from, at), hn::LoadU(d, axis.by_tap.data() + i));
    for (int64_t k = 1; k < axis.taps; ++k)
      sum = hn::MulAdd(hn::GatherIndex(d, from + k, at),
                       hn::LoadU(d, axis.by_tap.data() + static_cast<size_t>(k) * n + i), sum);
    hn::StoreU(sum, d, to + i);
  }
  for (; i < n; ++i) {
    float sum = from[axis.first[i]] * axis.by_tap[i];
    for (int64_t k = 1; k < axis.taps; ++k)
      sum += from[axis.first[i] + k] * axis.by_tap[static_cast<size_t>(k) * n + i];
    to[i] = sum;
  }
}
#endif

// The pixels of a row from the weighted ones of another, which may be read 4 values beyond its
// end, and the result written 4 values beyond its own.
void along(const float* from, const RowWeights<float>& axis, int64_t channels, float* to) {
#if HWY_TARGET != HWY_SCALAR
  if (channels == 3 || channels == 4) return along_pixels(from, axis, channels, to);
  if (channels == 1) return along_values(from, axis, to);
#endif
  const float* weights = axis.weights.data();
  for (const int32_t first : axis.first) {
    const float* p = from + first * channels;
    for (int64_t c = 0; c < channels; ++c) to[c] = p[c] * weights[0];
    for (int64_t k = 1; k < axis.taps; ++k)
      for (int64_t c = 0; c < channels; ++c) to[c] += p[k * channels + c] * weights[k];
    to += channels;
    weights += axis.taps;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::image {
namespace {

HWY_EXPORT(along);

void along_row(const float* from, const RowWeights<float>& axis, int64_t channels, float* to) {
  HWY_DYNAMIC_DISPATCH(along)(from, axis, channels, to);
}

// Of float64, which is for derivatives that are compared with differences.
void along_row(const double* from, const RowWeights<double>& axis, int64_t channels, double* to) {
  const double* weights = axis.weights.data();
  for (const int32_t first : axis.first) {
    const double* p = from + first * channels;
    for (int64_t c = 0; c < channels; ++c, ++to) {
      *to = 0;
      for (int64_t k = 0; k < axis.taps; ++k) *to += p[k * channels + c] * weights[k];
    }
    weights += axis.taps;
  }
}

void weigh(const std::vector<const float*>& rows, const float* weights, const Picture& to,
           int64_t y) {
  weigh_rows(rows, weights, to, y);
}

void weigh(const std::vector<const double*>& rows, const double* weights, const Picture& to,
           int64_t y) {
  auto* const out = to.row_as<double>(y);
  for (int64_t i = 0; i < to.row_values(); ++i) {
    out[i] = 0;
    for (size_t k = 0; k < rows.size(); ++k) out[i] += rows[k][i] * weights[k];
  }
}

// Rows of a frame that were made of the result's width, as T; the last few are kept.
template <class T>
class Rows {
 public:
  Rows(const Picture& from, const Frame& frame, const RowWeights<T>& axis, int64_t kept)
      : from_(from),
        frame_(frame),
        axis_(axis),
        begin_(std::clamp<int64_t>(-frame.left, 0, frame.width)),
        end_(std::clamp<int64_t>(from.width - frame.left, begin_, frame.width)),
        copies_(begin_ > 0 || end_ < frame.width || from.dtype == DType::uint8),
        identity_(axis.is_identity(frame.width)),
        length_((static_cast<int64_t>(axis.first.size())) * from.channels + 4),
        source_(static_cast<size_t>(frame.width * from.channels + 4), static_cast<T>(frame.value)),
        rows_(static_cast<size_t>(kept * length_)),
        numbers_(static_cast<size_t>(kept), -1) {}

  // Row y of the frame.
  const T* row(int64_t y) {
    const size_t slot = static_cast<size_t>(y) % numbers_.size();
    T* const to = rows_.data() + static_cast<int64_t>(slot) * length_;
    const int64_t line = frame_.top + y;
    const bool inside = line >= 0 && line < from_.height;
    if (identity_ && inside && !copies_) return pixels(line);
    if (numbers_[slot] == y) return to;
    numbers_[slot] = y;
    const T* const values = inside ? source(line) : outside();
    if (identity_)
      std::copy_n(values, frame_.width * from_.channels, to);
    else
      along_row(values, axis_, from_.channels, to);
    return to;
  }

 private:
  const T* pixels(int64_t line) const {
    return from_.row_as<T>(line) + frame_.left * from_.channels;
  }

  // A row of the picture with what is beside it; the loops read beyond its end.
  const T* source(int64_t line) {
    if (!copies_ && line + 1 < from_.height) return pixels(line);
    const int64_t left = std::max<int64_t>(frame_.left, 0);
    if constexpr (std::is_same_v<T, float>)
      read_row(from_, line, left, end_ - begin_, source_.data() + begin_ * from_.channels);
    else
      std::copy_n(from_.row_as<T>(line) + left * from_.channels, (end_ - begin_) * from_.channels,
                  source_.data() + begin_ * from_.channels);
    return source_.data();
  }

  const T* outside() {
    if (empty_.empty()) empty_.assign(source_.size(), static_cast<T>(frame_.value));
    return empty_.data();
  }

  const Picture& from_;
  const Frame& frame_;
  const RowWeights<T>& axis_;
  int64_t begin_, end_;  // of the picture's columns in the frame
  bool copies_;          // whether rows of the picture are not those of the frame
  bool identity_;
  int64_t length_;
  std::vector<T> source_, empty_, rows_;
  std::vector<int64_t> numbers_;
};

// Pictures side by side in memory, whose rows threads share or not.
struct Batch {
  int64_t count;
  bool parallel;
};

// Calls f(i, begin, end) for rows of the pictures.
template <class F>
void for_rows(const Picture& to, const Batch& batch, int64_t taps, F&& f) {
  const auto part = [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t i = begin / to.height, row = begin % to.height;
      const int64_t rows = std::min(end - begin, to.height - row);
      f(i, row, row + rows);
      begin += rows;
    }
  };
  const int64_t rows = batch.count * to.height;
  if (!batch.parallel) return part(0, rows);
  cpu::parallel_or_throw(rows, batch.count * to.values() * taps, part);
}

template <class T>
void resample(const Picture& from, const Picture& to, const Batch& batch, const Frame& frame,
              const AxisWeights& across, const AxisWeights& down) {
  const RowWeights<T> axis(across);
  const std::vector<T> weights(down.weights.begin(), down.weights.end());
  for_rows(to, batch, across.taps + down.taps, [&](int64_t i, int64_t begin, int64_t end) {
    const Picture source = nth(from, i), target = nth(to, i);
    Rows<T> rows(source, frame, axis, down.taps);
    std::vector<const T*> lines(static_cast<size_t>(down.taps));
    for (int64_t y = begin; y < end; ++y) {
      for (int64_t k = 0; k < down.taps; ++k)
        lines[static_cast<size_t>(k)] = rows.row(down.first[static_cast<size_t>(y)] + k);
      weigh(lines, weights.data() + y * down.taps, target, y);
    }
  });
}

template <size_t bytes>
void pick(const std::byte* in, const std::vector<size_t>& columns, size_t pixel, std::byte* out) {
  for (const size_t at : columns) {
    std::memcpy(out, in + at, bytes ? bytes : pixel);
    out += bytes ? bytes : pixel;
  }
}

void pick_pixels(const std::byte* in, const std::vector<size_t>& columns, size_t pixel,
                 std::byte* out) {
  switch (pixel) {
    case 1:
      return pick<1>(in, columns, pixel, out);
    case 3:
      return pick<3>(in, columns, pixel, out);
    case 4:
      return pick<4>(in, columns, pixel, out);
    case 12:
      return pick<12>(in, columns, pixel, out);
    default:
      return pick<0>(in, columns, pixel, out);
  }
}

void resample_any(const Picture& from, const Picture& to, const Batch& batch, const Frame& frame,
                  const AxisWeights& across, const AxisWeights& down) {
  if (batch.count * to.values() == 0 || from.values() == 0) return;
  if (from.dtype == DType::float64) return resample<double>(from, to, batch, frame, across, down);
  resample<float>(from, to, batch, frame, across, down);
}

void pick_nearest(const Picture& from, const Picture& to, const Batch& batch, const Frame& frame) {
  if (batch.count * to.values() == 0 || from.values() == 0) return;
  const size_t pixel = from.pixel_bytes();
  std::vector<size_t> columns;
  for (const int64_t x : resize_weights(frame.width, to.width, {"nearest"}).first)
    columns.push_back(static_cast<size_t>(frame.left + x) * pixel);
  const std::vector<int64_t> lines = resize_weights(frame.height, to.height, {"nearest"}).first;
  for_rows(to, batch, 1, [&](int64_t i, int64_t begin, int64_t end) {
    const Picture source = nth(from, i), target = nth(to, i);
    for (int64_t y = begin; y < end; ++y) {
      const int64_t line = lines[static_cast<size_t>(y)];
      if (y > begin && line == lines[static_cast<size_t>(y) - 1])
        std::memcpy(target.row(y), target.row(y - 1), target.row_bytes());
      else
        pick_pixels(source.row(frame.top + line), columns, pixel, target.row(y));
    }
  });
}

}  // namespace

void resample_batch(const Picture& from, const Picture& to, int64_t count, const Frame& frame,
                    const AxisWeights& across, const AxisWeights& down) {
  resample_any(from, to, {count, true}, frame, across, down);
}

void resample_nearest(const Picture& from, const Picture& to, int64_t count, const Frame& frame) {
  pick_nearest(from, to, {count, true}, frame);
}

void resize(const Picture& from, const std::array<int64_t, 4>& window, const Picture& to,
            const Resizing& how) {
  const auto [top, left, height, width] = window;
  const Frame frame{top, left, height, width};
  const Batch one{1, false};
  if (how.interpolation == "nearest") return pick_nearest(from, to, one, frame);
  resample_any(from, to, one, frame, resize_weights(width, to.width, how),
               resize_weights(height, to.height, how));
}

}  // namespace cornu::backend::image
#endif
