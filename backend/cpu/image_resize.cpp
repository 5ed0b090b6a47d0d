// Resizing as two sums of weighted pixels, along rows and then down columns, and mirroring.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

#include "../error.h"
#include "../image_rows.h"
#include "../image_sampling.h"
#include "targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "backend/cpu/image_resize.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef CORNU_IMAGE_RESIZE_WEIGHTS
#define CORNU_IMAGE_RESIZE_WEIGHTS
namespace cornu::backend::image {
// Which pixels of an axis make those of the result, and how much of each: `taps` weights a result.
struct AxisWeights {
  int64_t taps = 1;
  std::vector<int64_t> first;
  std::vector<float> weights;
};
}  // namespace cornu::backend::image
#endif

HWY_BEFORE_NAMESPACE();
namespace cornu::backend::image {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The pixels of a row from the weighted ones of another, which may be read 4 values beyond its end.
void along(const float* from, const AxisWeights& axis, int64_t channels, float* to) {
  const auto n = static_cast<int64_t>(axis.first.size());
  const float* weights = axis.weights.data();
#if HWY_TARGET != HWY_SCALAR
  if (channels == 3 || channels == 4) {
    const hn::FixedTag<float, 4> d;
    for (int64_t i = 0; i < n; ++i, weights += axis.taps) {
      const float* p = from + axis.first[static_cast<size_t>(i)] * channels;
      auto sum = hn::Mul(hn::LoadU(d, p), hn::Set(d, weights[0]));
      for (int64_t k = 1; k < axis.taps; ++k)
        sum = hn::MulAdd(hn::LoadU(d, p + k * channels), hn::Set(d, weights[k]), sum);
      hn::StoreU(sum, d, to + i * channels);
    }
    return;
  }
#endif
  for (int64_t i = 0; i < n; ++i, weights += axis.taps) {
    const float* p = from + axis.first[static_cast<size_t>(i)] * channels;
    for (int64_t c = 0; c < channels; ++c) {
      float sum = 0;
      for (int64_t k = 0; k < axis.taps; ++k) sum += p[k * channels + c] * weights[k];
      to[i * channels + c] = sum;
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace cornu::backend::image
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cornu::backend::image {
namespace {

HWY_EXPORT(along);

// How far a method looks, in pixels, and the weight of a pixel at a distance. Those of
// ops::resize: Keys's cubic with a = -1/2, and Lanczos's.
struct Method {
  double radius;
  double (*weight)(double distance);
};

template <int radius>
double lanczos(double x) {
  if (x > radius) return 0;
  if (x <= 1e-3) return 1;
  const double turn = std::numbers::pi * x;
  return radius * std::sin(turn) * std::sin(turn / radius) / (turn * turn);
}

Method method_of(const std::string& name) {
  if (name == "bilinear") return {1, [](double x) { return std::max(1 - x, 0.0); }};
  if (name == "bicubic")
    return {2, [](double x) {
              if (x >= 2) return 0.0;
              return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1;
            }};
  if (name == "lanczos3") return {3, lanczos<3>};
  if (name == "lanczos5") return {5, lanczos<5>};
  throw ValueError(
      "resize: interpolation '" + name + "' is not known." +
      did_you_mean(name, {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"}));
}

// `weight_of(i, k)`: of pixel k in result i, for the pixels from low to high of each.
template <class Bounds, class Weight>
AxisWeights gathered(int64_t size, int64_t output, Bounds&& bounds, Weight&& weight_of) {
  AxisWeights axis;
  std::vector<std::pair<int64_t, int64_t>> ends;
  for (int64_t i = 0; i < output; ++i) {
    auto [low, high] = bounds(i);
    low = std::clamp<int64_t>(low, 0, size - 1);
    high = std::clamp<int64_t>(high, low, size - 1);
    ends.emplace_back(low, high);
    axis.taps = std::max(axis.taps, high - low + 1);
  }
  axis.taps = std::min(axis.taps, size);
  for (int64_t i = 0; i < output; ++i) {
    const auto [low, high] = ends[static_cast<size_t>(i)];
    const int64_t first = std::min(low, size - axis.taps);
    axis.first.push_back(first);
    std::vector<double> weights;
    double total = 0;
    for (int64_t k = first; k < first + axis.taps; ++k) {
      weights.push_back(k >= low && k <= high ? weight_of(i, k) : 0.0);
      total += weights.back();
    }
    for (double w : weights) axis.weights.push_back(static_cast<float>(total != 0 ? w / total : 0));
  }
  return axis;
}

AxisWeights weights_of(int64_t size, int64_t output, const Resizing& how) {
  const double step = static_cast<double>(size) / static_cast<double>(output);
  if (how.interpolation == "area")
    return gathered(
        size, output,
        [&](int64_t i) {
          return std::pair{static_cast<int64_t>(std::floor(static_cast<double>(i) * step)),
                           static_cast<int64_t>(std::ceil(static_cast<double>(i + 1) * step)) - 1};
        },
        [&](int64_t i, int64_t k) {
          const double low = std::max(static_cast<double>(i) * step, static_cast<double>(k));
          const double high =
              std::min(static_cast<double>(i + 1) * step, static_cast<double>(k + 1));
          return std::max(high - low, 0.0);
        });
  const Method method = method_of(how.interpolation);
  const double width = how.antialias ? std::max(step, 1.0) : 1.0;
  const auto middle = [&](int64_t i) { return (static_cast<double>(i) + 0.5) * step - 0.5; };
  return gathered(
      size, output,
      [&](int64_t i) {
        return std::pair{
            static_cast<int64_t>(std::ceil(middle(i) - method.radius * width - 1e-9)),
            static_cast<int64_t>(std::floor(middle(i) + method.radius * width + 1e-9))};
      },
      [&](int64_t i, int64_t k) {
        return method.weight(std::abs(middle(i) - static_cast<double>(k)) / width);
      });
}

void resize_nearest(const Picture& from, const std::array<int64_t, 4>& window, const Picture& to) {
  const auto [top, left, height, width] = window;
  // In float32, as Keras computes it: where it rounds to a whole number, that counts.
  const auto place = [](int64_t i, int64_t size, int64_t output) {
    const float at =
        (static_cast<float>(i) + 0.5f) * static_cast<float>(size) / static_cast<float>(output);
    return std::min(static_cast<int64_t>(at), size - 1);
  };
  const size_t pixel = from.pixel_bytes();
  std::vector<size_t> columns;
  for (int64_t x = 0; x < to.width; ++x)
    columns.push_back(static_cast<size_t>(left + place(x, width, to.width)) * pixel);
  int64_t before = -1;
  for (int64_t y = 0; y < to.height; ++y) {
    const int64_t line = place(y, height, to.height);
    std::byte* out = to.row(y);
    if (line == before) {
      std::memcpy(out, to.row(y - 1), to.row_bytes());
      continue;
    }
    before = line;
    const std::byte* in = from.row(top + line);
    if (pixel == 1)
      for (size_t x = 0; x < columns.size(); ++x) out[x] = in[columns[x]];
    else
      for (size_t x = 0; x < columns.size(); ++x)
        std::memcpy(out + x * pixel, in + columns[x], pixel);
  }
}

// Rows of the source that were made of the result's width, as floats; the last few are kept.
class Rows {
 public:
  Rows(const Picture& from, int64_t left, int64_t width, const AxisWeights& axis, int64_t kept)
      : from_(from),
        left_(left),
        values_(width * from.channels),
        axis_(axis),
        length_(static_cast<int64_t>(axis.first.size()) * from.channels + 4),
        source_(static_cast<size_t>(values_ + 4)),
        rows_(static_cast<size_t>(kept * length_)),
        numbers_(static_cast<size_t>(kept), -1) {}

  const float* row(int64_t y) {
    const size_t slot = static_cast<size_t>(y) % numbers_.size();
    float* to = rows_.data() + static_cast<int64_t>(slot) * length_;
    if (numbers_[slot] == y) return to;
    numbers_[slot] = y;
    read_row(from_, y, left_, values_ / from_.channels, source_.data());
    HWY_DYNAMIC_DISPATCH(along)(source_.data(), axis_, from_.channels, to);
    return to;
  }

 private:
  const Picture& from_;
  int64_t left_, values_;
  const AxisWeights& axis_;
  int64_t length_;
  std::vector<float> source_, rows_;
  std::vector<int64_t> numbers_;
};

template <size_t bytes>
void mirror(const Picture& from, const Picture& to) {
  const size_t pixel = bytes ? bytes : from.pixel_bytes();
  for (int64_t y = 0; y < from.height; ++y) {
    const std::byte* in = from.row(y);
    std::byte* out = to.row(y) + to.row_bytes();
    for (int64_t x = 0; x < from.width; ++x, in += pixel)
      std::memcpy(out -= pixel, in, bytes ? bytes : pixel);
  }
}

}  // namespace

void resize(const Picture& from, const std::array<int64_t, 4>& window, const Picture& to,
            const Resizing& how) {
  if (to.values() == 0 || from.values() == 0) return;
  if (how.interpolation == "nearest") return resize_nearest(from, window, to);
  const auto [top, left, height, width] = window;
  const AxisWeights across = weights_of(width, to.width, how),
                    along_y = weights_of(height, to.height, how);
  Rows rows(from, left, width, across, along_y.taps);
  std::vector<const float*> lines(static_cast<size_t>(along_y.taps));
  for (int64_t y = 0; y < to.height; ++y) {
    for (int64_t k = 0; k < along_y.taps; ++k)
      lines[static_cast<size_t>(k)] = rows.row(top + along_y.first[static_cast<size_t>(y)] + k);
    weigh_rows(lines, along_y.weights.data() + y * along_y.taps, to, y);
  }
}

void mirror_rows(const Picture& from, const Picture& to) {
  switch (from.pixel_bytes()) {
    case 1:
      return mirror<1>(from, to);
    case 3:
      return mirror<3>(from, to);
    case 4:
      return mirror<4>(from, to);
    case 12:
      return mirror<12>(from, to);
    default:
      return mirror<0>(from, to);
  }
}

}  // namespace cornu::backend::image
#endif
