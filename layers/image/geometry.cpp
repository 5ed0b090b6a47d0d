// Ranges, matrices and boxes of geometric layers.
#include "geometry.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/operators.h"

namespace cornu::layers {
namespace {

[[noreturn]] void bad_factor(const Numbers& factor, const char* option, double low, double high,
                             bool open_below) {
  throw ValueError(fmt::format("{}: expected one number, or two, in {}{}, {}], found {}.", option,
                               open_below ? '(' : '[', low, high,
                               fmt::join(factor.values(), " and ")));
}

}  // namespace

std::pair<double, double> factor_bounds(const Numbers& factor, const char* option, double low,
                                        double high) {
  const std::vector<double>& v = factor.values();
  if (factor.is_single()) {
    if (v[0] < low || v[0] > high) bad_factor(factor, option, low, high, false);
    return {std::max(-std::abs(v[0]), low), std::abs(v[0])};
  }
  if (v.size() != 2 || v[0] > high || v[1] < low) bad_factor(factor, option, low, high, false);
  return std::minmax(v[0], v[1]);
}

std::pair<double, double> strict_factor_bounds(const Numbers& factor, const char* option,
                                               double low, double high, bool open_below) {
  const std::vector<double>& v = factor.values();
  if (!factor.is_single() && v.size() != 2) bad_factor(factor, option, low, high, open_below);
  for (double f : v)
    if (f > high || f < low || (open_below && f == low))
      bad_factor(factor, option, low, high, open_below);
  if (factor.is_single()) return {-std::abs(v[0]), std::abs(v[0])};
  return std::minmax(v[0], v[1]);
}

void check_known(const char* option, const std::string& value,
                 const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), value) != known.end()) return;
  throw UnsupportedError(fmt::format("{}: '{}' is not known; known are {}.{}", option, value,
                                     fmt::join(known, ", "), did_you_mean(value, known)));
}

void check_resampling(const std::string& fill_mode, const std::string& interpolation) {
  check_known("fill_mode", fill_mode, {"reflect", "wrap", "constant", "nearest"});
  check_known("interpolation", interpolation, {"nearest", "bilinear"});
}

ImageSize size_of(const Shape& images, bool channels_first) {
  if (images.empty())
    throw ValueError(
        "the transformation has no input_shape; draw it with "
        "get_random_transformation, or set the shape of the images.");
  return {images.at(channels_first ? -2 : -3), images.at(channels_first ? -1 : -2)};
}

Tensor affine_matrix(double center_x, double center_y, const Tensor& angle,
                     const Tensor& translate_x, const Tensor& translate_y, const Tensor& scale,
                     const Tensor& shear_x, const Tensor& shear_y, ImageSize size) {
  const double radian = std::numbers::pi / 180;
  const double cx = center_x * static_cast<double>(size.width - 1),
               cy = center_y * static_cast<double>(size.height - 1);
  const Tensor turn = angle * radian;
  const Tensor cosine = ops::cos(turn), sine = ops::sin(turn);
  const Tensor x = ops::tan(shear_x * radian), y = ops::tan(shear_y * radian);
  const Tensor a0 = scale * (cosine + x * sine), a1 = scale * (-sine + x * cosine);
  const Tensor b0 = scale * (y * cosine + sine), b1 = scale * (y * -sine + cosine);
  const Tensor a2 = translate_x + cx - cx * a0 - cy * a1, b2 = translate_y + cy - cx * b0 - cy * b1;
  const Tensor zero = ops::zeros_like(a0);
  return ops::stack({a0, a1, a2, b0, b1, b2, zero, zero}, 1);
}

CropBox centered_crop(ImageSize size, int64_t height, int64_t width) {
  const auto fitting = [](int64_t side, int64_t across, int64_t along, int64_t limit) {
    const auto wanted =
        static_cast<int64_t>(static_cast<double>(side * across) / static_cast<double>(along));
    return std::max<int64_t>(std::min(limit, wanted), 1);
  };
  const int64_t h = fitting(size.width, height, width, size.height),
                w = fitting(size.height, width, height, size.width);
  return {(size.height - h) / 2, (size.width - w) / 2, h, w};
}

}  // namespace cornu::layers
