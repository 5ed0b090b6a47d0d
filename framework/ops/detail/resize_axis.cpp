// Resampling along one axis, as a product with weights.
#include "resize_axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../core/cast.h"
#include "../numpy/complex.h"
#include "../numpy/indexing.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

double triangle(double x) { return std::max(0.0, 1.0 - x); }

// Keys's convolution kernel with a = -0.5.
double cubic(double x) {
  if (x < 1) return ((1.5 * x - 2.5) * x) * x + 1;
  if (x < 2) return ((-0.5 * x + 2.5) * x - 4) * x + 2;
  return 0;
}

double lanczos(double x, double radius) {
  if (x > radius) return 0;
  if (x <= 1e-3) return 1;
  const double angle = std::numbers::pi * x;
  return radius * std::sin(angle) * std::sin(angle / radius) / (angle * angle);
}

struct Interpolation {
  const char* name;
  double radius;
  double (*weight)(double distance);
  int steps = 0;  ///< parts of a pixel that places are rounded to without antialiasing; 0: none
};

constexpr Interpolation interpolations[] = {
    {"bilinear", 1, triangle},
    {"bicubic", 2, cubic, 1024},  // TensorFlow reads its weights from a table of that size
    {"lanczos3", 3, [](double x) { return lanczos(x, 3); }},
    {"lanczos5", 5, [](double x) { return lanczos(x, 5); }},
};

const Interpolation& interpolation_of(const std::string& name) {
  for (const Interpolation& i : interpolations)
    if (name == i.name) return i;
  throw ValueError(fmt::format(
      "interpolation '{}' is not known.{} Known are 'nearest', 'bilinear', 'bicubic', 'lanczos3' "
      "and 'lanczos5'.",
      name, did_you_mean(name, {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"})));
}

// Which places of the source make up each place of the result, `taps` for each, and with which
// weights.
struct Blend {
  int64_t taps = 0;
  std::vector<int32_t> indices;
  std::vector<double> weights;
};

Blend blend(int64_t from, int64_t to, const Interpolation& kind, bool antialias) {
  const double ratio = static_cast<double>(from) / static_cast<double>(to);
  const double widen = antialias ? std::max(ratio, 1.0) : 1.0, radius = kind.radius * widen;
  Blend b;
  b.taps = static_cast<int64_t>(std::ceil(2 * radius));
  std::vector<double> weights(static_cast<size_t>(b.taps));
  for (int64_t i = 0; i < to; ++i) {
    double center = (static_cast<double>(i) + 0.5) * ratio - 0.5;
    if (kind.steps > 0 && !antialias)
      center = std::floor(center) +
               std::nearbyint((center - std::floor(center)) * kind.steps) / kind.steps;
    const auto first = static_cast<int64_t>(std::floor(center - radius)) + 1;
    double total = 0;
    for (int64_t t = 0; t < b.taps; ++t) {
      const int64_t place = first + t;
      const bool inside = place >= 0 && place < from;
      double& w = weights[static_cast<size_t>(t)];
      w = inside ? kind.weight(std::abs(center - static_cast<double>(place)) / widen) : 0.0;
      total += w;
      b.indices.push_back(static_cast<int32_t>(std::clamp<int64_t>(place, 0, from - 1)));
    }
    for (double w : weights) b.weights.push_back(total != 0 ? w / total : 0.0);
  }
  return b;
}

}  // namespace

Tensor resize_axis(const Tensor& x, int64_t axis, int64_t size, const std::string& interpolation,
                   bool antialias) {
  const int a = normalize_axis(axis, x.rank(), "resize: axis");
  const int64_t from = x.shape()[a];
  if (size <= 0 || from <= 0)
    throw ValueError(
        fmt::format("resize: sizes must be positive, found {} for axis {} of shape {}.", size, a,
                    x.shape().str()));
  if (interpolation == "nearest") {
    std::vector<int32_t> picks;
    for (int64_t i = 0; i < size; ++i)
      picks.push_back(static_cast<int32_t>((2 * i + 1) * from / (2 * size)));
    return take(x, Tensor(picks), a);
  }
  const Blend b = blend(from, size, interpolation_of(interpolation), antialias);
  const DType compute = is_float(x.dtype()) && size_of(x.dtype()) >= 4 ? x.dtype() : DType::float32;
  Shape along = {size, b.taps};
  for (int i = a + 1; i < x.rank(); ++i) along.push_back(1);
  const Tensor taps = take(cast(x, compute), Tensor::from(b.indices, {size, b.taps}), a);
  const Tensor weights = cast(Tensor::from(b.weights, along), compute);
  return cast(sum(taps * weights, a + 1), x.dtype());
}

}  // namespace cornu::ops
