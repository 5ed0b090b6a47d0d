// Pillow's resampling: filters of any width in two passes.
#include "resample.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "../../../backend/error.h"

namespace cornu::data {
namespace {

double sinc(double x) {
  if (x == 0) return 1;
  x *= std::numbers::pi;
  return std::sin(x) / x;
}

double box_filter(double x) { return x > -0.5 && x <= 0.5 ? 1 : 0; }
double bilinear_filter(double x) { return std::max(0.0, 1 - std::abs(x)); }
double hamming_filter(double x) {
  x = std::abs(x);
  if (x == 0) return 1;
  if (x >= 1) return 0;
  x *= std::numbers::pi;
  return std::sin(x) / x * (0.54 + 0.46 * std::cos(x));
}
double bicubic_filter(double x) {
  constexpr double a = -0.5;
  x = std::abs(x);
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return (((x - 5) * x + 8) * x - 4) * a;
  return 0;
}
double lanczos_filter(double x) { return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0; }

struct Method {
  const char* name;
  double (*filter)(double);
  double support;  // half of the filter's width
};

constexpr Method methods[] = {
    {"nearest", nullptr, 0},          {"box", box_filter, 0.5},
    {"bilinear", bilinear_filter, 1}, {"hamming", hamming_filter, 1},
    {"bicubic", bicubic_filter, 2},   {"lanczos", lanczos_filter, 3},
};

// Of each place along one axis of the result: which values it is a sum of, and their weights.
struct Weights {
  struct Range {
    int64_t first, count;
  };
  std::vector<Range> ranges;
  std::vector<double> values;  // `width` for each place
  size_t width = 0;

  const double* of(int64_t i) const { return values.data() + static_cast<size_t>(i) * width; }
};

Weights weights_of(const Method& method, int64_t from, double begin, double end, int64_t to) {
  const double scale = (end - begin) / static_cast<double>(to);
  const double widened = std::max(scale, 1.0), support = method.support * widened;
  Weights weights;
  weights.width = static_cast<size_t>(std::ceil(support)) * 2 + 1;
  weights.values.resize(static_cast<size_t>(to) * weights.width);
  for (int64_t i = 0; i < to; ++i) {
    const double center = begin + (static_cast<double>(i) + 0.5) * scale;
    const auto first = std::max<int64_t>(static_cast<int64_t>(center - support + 0.5), 0);
    const auto last = std::min(static_cast<int64_t>(center + support + 0.5), from);
    double* const values = weights.values.data() + static_cast<size_t>(i) * weights.width;
    double sum = 0;
    for (int64_t k = 0; k < last - first; ++k) {
      values[k] = method.filter((static_cast<double>(k + first) - center + 0.5) * (1 / widened));
      sum += values[k];
    }
    if (sum != 0)
      for (int64_t k = 0; k < last - first; ++k) values[k] /= sum;
    weights.ranges.push_back({first, last - first});
  }
  return weights;
}

// How values of one type are summed: 8 bits by fixed point, 16 bits by doubles.
struct Bytes {
  static constexpr int bits = 32 - 8 - 2;
  using Weight = int32_t;
  static Weight weight(double w) {
    return static_cast<int32_t>((w < 0 ? -0.5 : 0.5) + w * (1 << bits));
  }
  using Sum = int32_t;
  static constexpr Sum start = 1 << (bits - 1);
  static uint8_t finish(int32_t sum) {
    return static_cast<uint8_t>(std::clamp(sum >> bits, 0, 255));
  }
};

struct Words {
  using Weight = double;
  static Weight weight(double w) { return w; }
  using Sum = double;
  static constexpr Sum start = 0;
  static uint16_t finish(double sum) {
    return static_cast<uint16_t>(std::clamp(std::floor(sum + 0.5), 0.0, 65535.0));
  }
};

// Sums along an axis: `outer` times `from` places of `inner` values.
template <class Sums, class T>
void pass(const T* in, T* out, int64_t outer, int64_t from, int64_t inner, const Weights& weights) {
  const auto to = static_cast<int64_t>(weights.ranges.size());
  std::vector<typename Sums::Weight> values(weights.values.size());
  std::transform(weights.values.begin(), weights.values.end(), values.begin(), Sums::weight);
  std::vector<typename Sums::Sum> sums(static_cast<size_t>(inner));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < to; ++i) {
      const auto [first, count] = weights.ranges[static_cast<size_t>(i)];
      const auto* const w = values.data() + static_cast<size_t>(i) * weights.width;
      std::fill(sums.begin(), sums.end(), Sums::start);
      for (int64_t k = 0; k < count; ++k) {
        const T* const row = in + (o * from + first + k) * inner;
        for (int64_t c = 0; c < inner; ++c) sums[static_cast<size_t>(c)] += row[c] * w[k];
      }
      T* const target = out + (o * to + i) * inner;
      for (int64_t c = 0; c < inner; ++c) target[c] = Sums::finish(sums[static_cast<size_t>(c)]);
    }
}

// Whether an axis stays as it is: Pillow leaves its pass out then.
bool kept(int64_t from, double begin, double end, int64_t to) {
  return from == to && begin == 0 && end == static_cast<double>(to);
}

template <class Sums, class T>
std::vector<T> filtered(const std::vector<T>& in, const io::Image& image, int64_t height,
                        int64_t width, const Method& method, const Box& box) {
  std::vector<T> across = in;
  if (!kept(image.width, box.left, box.right, width)) {
    const Weights weights = weights_of(method, image.width, box.left, box.right, width);
    across.resize(static_cast<size_t>(image.height * width * image.channels));
    pass<Sums>(in.data(), across.data(), image.height, image.width, image.channels, weights);
  }
  if (kept(image.height, box.top, box.bottom, height)) return across;
  const Weights weights = weights_of(method, image.height, box.top, box.bottom, height);
  std::vector<T> down(static_cast<size_t>(height * width * image.channels));
  pass<Sums>(across.data(), down.data(), 1, image.height, width * image.channels, weights);
  return down;
}

template <class T>
std::vector<T> nearest(const std::vector<T>& in, const io::Image& image, int64_t height,
                       int64_t width, const Box& box) {
  const double step_y = (box.bottom - box.top) / static_cast<double>(height);
  const double step_x = (box.right - box.left) / static_cast<double>(width);
  std::vector<int64_t> columns(static_cast<size_t>(width), -1);
  // Pillow adds the steps up; so are the places where they round.
  double at = box.left + step_x * 0.5;
  for (int64_t& column : columns) {
    column = std::clamp<int64_t>(static_cast<int64_t>(at), 0, image.width - 1);
    at += step_x;
  }
  const int64_t channels = image.channels;
  std::vector<T> out(static_cast<size_t>(height * width * channels));
  T* target = out.data();
  at = box.top + step_y * 0.5;
  for (int64_t y = 0; y < height; ++y, at += step_y) {
    const auto row = std::clamp<int64_t>(static_cast<int64_t>(at), 0, image.height - 1);
    for (const int64_t column : columns)
      target = std::copy_n(in.data() + (row * image.width + column) * channels, channels, target);
  }
  return out;
}

// Colors times alpha, and back, with Pillow's roundings.
void weigh_by_alpha(std::vector<uint8_t>& pixels, size_t channels) {
  for (size_t i = 0; i < pixels.size(); i += channels)
    for (size_t k = 0; k + 1 < channels; ++k) {
      const int product = pixels[i + k] * pixels[i + channels - 1] + 128;
      pixels[i + k] = static_cast<uint8_t>(((product >> 8) + product) >> 8);
    }
}
void divide_by_alpha(std::vector<uint8_t>& pixels, size_t channels) {
  for (size_t i = 0; i < pixels.size(); i += channels) {
    const int alpha = pixels[i + channels - 1];
    if (alpha == 0 || alpha == 255) continue;
    for (size_t k = 0; k + 1 < channels; ++k)
      pixels[i + k] = static_cast<uint8_t>(std::min(255 * pixels[i + k] / alpha, 255));
  }
}

const Method& find_method(const std::string& name) {
  for (const Method& method : methods)
    if (method.name == name) return method;
  throw ValueError(fmt::format(
      "'{}' is no method of interpolation. There are: nearest, box, bilinear, hamming, bicubic and "
      "lanczos.{}",
      name, did_you_mean(name, resampling_methods())));
}

}  // namespace

const std::vector<std::string>& resampling_methods() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Method& method : methods) list.emplace_back(method.name);
    return list;
  }();
  return names;
}

io::Image resample(const io::Image& image, int64_t height, int64_t width, const std::string& name,
                   const Box& box) {
  const Method& method = find_method(name);
  if (height < 1 || width < 1)
    throw ValueError(fmt::format("an image cannot be resized to {} x {} pixels.", height, width));
  if (!(box.left >= 0 && box.top >= 0 && box.right > box.left && box.bottom > box.top &&
        box.right <= static_cast<double>(image.width) &&
        box.bottom <= static_cast<double>(image.height)))
    throw ValueError(fmt::format(
        "the box from ({}, {}) to ({}, {}) is empty or not in an image of {} x {} pixels.",
        box.left, box.top, box.right, box.bottom, image.width, image.height));
  io::Image result{height, width, image.channels};
  if (!method.filter) {
    if (image.is_wide())
      result.wide = nearest(image.wide, image, height, width, box);
    else
      result.pixels = nearest(image.pixels, image, height, width, box);
  } else if (image.is_wide()) {
    result.wide = filtered<Words>(image.wide, image, height, width, method, box);
  } else if (image.channels % 2 == 0) {
    const auto channels = static_cast<size_t>(image.channels);
    std::vector<uint8_t> pixels = image.pixels;
    weigh_by_alpha(pixels, channels);
    result.pixels = filtered<Bytes>(pixels, image, height, width, method, box);
    divide_by_alpha(result.pixels, channels);
  } else {
    result.pixels = filtered<Bytes>(image.pixels, image, height, width, method, box);
  }
  return result;
}

io::Image resample(const io::Image& image, int64_t height, int64_t width,
                   const std::string& method) {
  if (height == image.height && width == image.width) {
    find_method(method);
    return image;
  }
  return resample(image, height, width, method,
                  {0, 0, static_cast<double>(image.width), static_cast<double>(image.height)});
}

}  // namespace cornu::data
