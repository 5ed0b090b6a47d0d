// Weights of resizing: filters at the places of an axis's pixels, and their transposes.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../error.h"
#include "../image_resampling.h"
#include "../resize_kernels.h"

namespace cornu::backend::image {
namespace {

double triangle(double x) { return std::max(1 - x, 0.0); }

// R. Keys, Cubic Convolution Interpolation for Digital Image Processing (1981), with a = -1/2.
double cubic(double x) {
  if (x >= 2) return 0;
  return x >= 1 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : (1.5 * x - 2.5) * x * x + 1;
}

template <int radius>
double lanczos(double x) {
  if (x > radius) return 0;
  if (x <= 1e-3) return 1;
  const double turn = std::numbers::pi * x;
  return radius * std::sin(turn) * std::sin(turn / radius) / (turn * turn);
}

// `bounds(i)`: the first and last pixel of result i; `weight_of(i, k)`: of pixel k in it.
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
  for (int64_t i = 0; i < output; ++i) {
    const auto [low, high] = ends[static_cast<size_t>(i)];
    const int64_t first = std::min(low, size - axis.taps);
    axis.first.push_back(first);
    double total = 0;
    for (int64_t k = first; k < first + axis.taps; ++k)
      total += axis.weights.emplace_back(k >= low && k <= high ? weight_of(i, k) : 0.0);
    for (auto w = axis.weights.end() - axis.taps; total != 0 && w != axis.weights.end(); ++w)
      *w /= total;
  }
  return axis;
}

// Means of what each new pixel covers.
AxisWeights area_weights(int64_t size, int64_t output, double step) {
  const auto begin = [&](int64_t i) { return static_cast<double>(i) * step; };
  return gathered(
      size, output,
      [&](int64_t i) {
        return std::pair{static_cast<int64_t>(std::floor(begin(i))),
                         static_cast<int64_t>(std::ceil(begin(i + 1))) - 1};
      },
      [&](int64_t i, int64_t k) {
        const auto at = static_cast<double>(k);
        return std::max(std::min(begin(i + 1), at + 1) - std::max(begin(i), at), 0.0);
      });
}

}  // namespace

ResizeKernel resize_kernel(const std::string& interpolation,
                           const std::vector<std::string>& known) {
  if (interpolation == "bilinear") return {1, triangle};
  // TensorFlow reads the weights of its cubic kernel from a table of that size.
  if (interpolation == "bicubic") return {2, cubic, 1024};
  if (interpolation == "lanczos3") return {3, lanczos<3>};
  if (interpolation == "lanczos5") return {5, lanczos<5>};
  throw ValueError(fmt::format("resize: interpolation '{}' is not known.{} Known are '{}'.",
                               interpolation, did_you_mean(interpolation, known),
                               fmt::join(known, "', '")));
}

AxisWeights resize_weights(int64_t size, int64_t output, const Resizing& how) {
  const auto one_each = [&](auto&& place) {
    return gathered(
        size, output,
        [&](int64_t i) {
          return std::pair{place(i), place(i)};
        },
        [](int64_t, int64_t) { return 1.0; });
  };
  if (how.interpolation == "nearest")
    return one_each([&](int64_t i) {
      // In float32, as Keras computes it: where it rounds to a whole number, that counts.
      const float at =
          (static_cast<float>(i) + 0.5f) * static_cast<float>(size) / static_cast<float>(output);
      return std::min(static_cast<int64_t>(at), size - 1);
    });
  const double ratio = static_cast<double>(size) / static_cast<double>(output);
  const bool area = how.interpolation == "area";
  const ResizeKernel kernel =
      area ? ResizeKernel{}
           : resize_kernel(how.interpolation,
                           {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"});
  if (size == output) return one_each([](int64_t i) { return i; });
  if (area) return area_weights(size, output, ratio);
  const float step =
      1.0f / static_cast<float>(static_cast<double>(output) / static_cast<double>(size));
  const double width = how.antialias ? std::max(static_cast<double>(step), 1.0) : 1.0;
  const auto middle = [&](int64_t i) {
    const float at = (static_cast<float>(i) + 0.5f) * step - 0.5f;
    if (kernel.parts == 0 || how.antialias) return static_cast<double>(at);
    const double before = std::floor(at);
    return before + std::nearbyint((at - before) * kernel.parts) / kernel.parts;
  };
  return gathered(
      size, output,
      [&](int64_t i) {
        const double reach = kernel.radius * width;
        return std::pair{static_cast<int64_t>(std::ceil(middle(i) - reach)),
                         static_cast<int64_t>(std::floor(middle(i) + reach))};
      },
      [&](int64_t i, int64_t k) {
        return kernel.weight(std::abs(middle(i) - static_cast<double>(k)) / width);
      });
}

AxisWeights transposed(const AxisWeights& weights, int64_t begin, int64_t count) {
  const auto results = static_cast<int64_t>(weights.first.size());
  // The results that each pixel is part of lie side by side.
  std::vector<std::pair<int64_t, int64_t>> ends(static_cast<size_t>(count), {results, -1});
  const auto each = [&](auto&& f) {
    for (int64_t i = 0; i < results; ++i)
      for (int64_t k = 0; k < weights.taps; ++k) {
        const int64_t pixel = weights.first[static_cast<size_t>(i)] + k - begin;
        const double w = weights.weights[static_cast<size_t>(i * weights.taps + k)];
        if (w != 0 && pixel >= 0 && pixel < count) f(static_cast<size_t>(pixel), i, w);
      }
  };
  each([&](size_t pixel, int64_t i, double) {
    auto& [low, high] = ends[pixel];
    low = std::min(low, i);
    high = std::max(high, i);
  });
  AxisWeights back;
  for (const auto& [low, high] : ends) back.taps = std::max(back.taps, high - low + 1);
  for (const auto& [low, high] : ends) back.first.push_back(std::min(low, results - back.taps));
  back.weights.resize(static_cast<size_t>(count * back.taps));
  each([&](size_t pixel, int64_t i, double w) {
    back.weights[pixel * static_cast<size_t>(back.taps) +
                 static_cast<size_t>(i - back.first[pixel])] = w;
  });
  return back;
}

}  // namespace cornu::backend::image
