// Affine changes by SciPy's rules, and changes of color by Pillow's.
#include "affine.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "../../../backend/image.h"
#include "../../ops/core/cast.h"
#include "../../ops/numpy/arithmetic.h"
#include "../../ops/numpy/manipulation.h"
#include "../../ops/numpy/reduction.h"
#include "../../ops/operators.h"
#include "../images/load_img.h"

namespace cornu::preprocessing::image {
namespace {

// Of places (row, column, 1) in the result, to those in the source; the last row is 0, 0, 1.
using Matrix = std::array<std::array<double, 3>, 2>;

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c{};
  for (size_t i = 0; i < 2; ++i)
    for (size_t j = 0; j < 3; ++j)
      c[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + (j == 2 ? a[i][2] : 0);
  return c;
}

constexpr Matrix identity = {{{1, 0, 0}, {0, 1, 0}}};

// Rotation, then shift, shear and zoom, about the middle. Keras's axes are those of mathematics, x
// first; both are exchanged in the end.
std::optional<Matrix> matrix_of(const TransformParameters& p, int64_t height, int64_t width) {
  const double angle = p.theta * std::numbers::pi / 180, shear = p.shear * std::numbers::pi / 180;
  Matrix m = identity;
  bool any = false;
  const auto then = [&](bool happens, const Matrix& next) {
    if (!happens) return;
    m = any ? product(m, next) : next;
    any = true;
  };
  then(p.theta != 0,
       {{{std::cos(angle), -std::sin(angle), 0}, {std::sin(angle), std::cos(angle), 0}}});
  then(p.tx != 0 || p.ty != 0, {{{1, 0, p.tx}, {0, 1, p.ty}}});
  then(shear != 0, {{{1, -std::sin(shear), 0}, {0, std::cos(shear), 0}}});
  then(p.zx != 1 || p.zy != 1, {{{p.zx, 0, 0}, {0, p.zy, 0}}});
  if (!any) return {};
  const double x = static_cast<double>(height) / 2 - 0.5, y = static_cast<double>(width) / 2 - 0.5;
  m = product(product({{{1, 0, x}, {0, 1, y}}}, m), {{{1, 0, -x}, {0, 1, -y}}});
  std::swap(m[0][0], m[1][1]);
  std::swap(m[0][1], m[1][0]);
  std::swap(m[0][2], m[1][2]);
  return m;
}

enum class Mode { constant, nearest, reflect, wrap };

Mode mode_of(const std::string& name) {
  const std::vector<std::string> names = {"constant", "nearest", "reflect", "wrap"};
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw ValueError(
        fmt::format("fill_mode: expected \"constant\", \"nearest\", \"reflect\" or \"wrap\", found "
                    "\"{}\".{}",
                    name, did_you_mean(name, names)));
  return static_cast<Mode>(found - names.begin());
}

// A pixel of an axis that is looked at, and the fraction of the one behind it.
struct Tap {
  int64_t low = 0, high = 0;
  double share = 0;
  bool outside = false;
};

// A place beyond the ends, about the outer edges of the outermost pixels.
double reflected(double at, double size) {
  const double turn = at + 0.5 - 2 * size * std::floor((at + 0.5) / (2 * size));
  return (turn >= size ? 2 * size - turn : turn) - 0.5;
}

Tap tap_of(double at, int64_t size, Mode mode, bool linear) {
  using backend::image::Fill;
  const auto last = static_cast<double>(size - 1);
  Tap tap;
  if (mode == Mode::constant && (at < 0 || at > last)) {
    tap.outside = true;
    return tap;
  }
  if (mode == Mode::nearest) at = std::clamp(at, 0.0, last);
  if (mode == Mode::wrap && size > 1 && (at < 0 || at > last)) at -= last * std::floor(at / last);
  if (size == 1) at = 0;
  // Reflected before it is rounded, as in SciPy: of two pixels equally near it may be the other.
  if (mode == Mode::reflect && (at < 0 || at > last)) at = reflected(at, static_cast<double>(size));
  const Fill fill = mode == Mode::reflect ? Fill::reflect : Fill::nearest;
  const double below = linear ? std::floor(at) : std::floor(at + 0.5);
  tap.share = linear ? at - below : 0;
  tap.low = backend::image::folded(static_cast<int64_t>(below), size, fill);
  tap.high = backend::image::folded(static_cast<int64_t>(below) + 1, size, fill);
  return tap;
}

// Where rows, columns and channels are in memory.
struct Layout {
  int64_t height, width, channels;
  int64_t row, column, channel;  // values from one to the next
};

Layout layout_of(const Tensor& x, const std::string& data_format) {
  if (x.rank() != 3)
    throw ShapeError(fmt::format("expected one image (3 axes), found shape {}.", x.shape().str()));
  const Shape& s = x.shape();
  if (data_format == "channels_first") return {s[1], s[2], s[0], s[2], 1, s[1] * s[2]};
  if (data_format == "channels_last") return {s[0], s[1], s[2], s[1] * s[2], s[2], 1};
  throw ValueError(fmt::format(
      "data_format: expected \"channels_last\" or \"channels_first\", found \"{}\".", data_format));
}

}  // namespace

void check_fill_mode(const std::string& name) { mode_of(name); }

Tensor apply_affine_transform(const Tensor& image, const TransformParameters& parameters,
                              const AffineOptions& options) {
  const Tensor x = ops::cast(image, DType::float32).to(Device::cpu());
  const Layout at = layout_of(x, options.data_format);
  const Mode mode = mode_of(options.fill_mode);
  if (options.order != 0 && options.order != 1)
    throw UnsupportedError(
        fmt::format("interpolation by splines of order {} is not there: use order 1 (linear) or 0 "
                    "(nearest).",
                    options.order));
  const auto m = matrix_of(parameters, at.height, at.width);
  if (!m || x.size() == 0) return x;
  const Tensor result = Tensor::empty(x.shape(), DType::float32, backend::cpu_backend());
  const auto* from = x.mutable_data<float>();
  auto* to = result.mutable_data<float>();
  const bool linear = options.order == 1;
  const auto cval = static_cast<float>(options.cval);
  for (int64_t row = 0; row < at.height; ++row)
    for (int64_t column = 0; column < at.width; ++column) {
      const auto y = static_cast<double>(row), z = static_cast<double>(column);
      const Tap down =
          tap_of((*m)[0][0] * y + (*m)[0][1] * z + (*m)[0][2], at.height, mode, linear);
      const Tap across =
          tap_of((*m)[1][0] * y + (*m)[1][1] * z + (*m)[1][2], at.width, mode, linear);
      float* const out = to + row * at.row + column * at.column;
      for (int64_t c = 0; c < at.channels; ++c) {
        if (down.outside || across.outside) {
          out[c * at.channel] = cval;
          continue;
        }
        const auto value = [&](int64_t i, int64_t j) {
          return static_cast<double>(from[i * at.row + j * at.column + c * at.channel]);
        };
        const double upper = value(down.low, across.low) * (1 - across.share) +
                             value(down.low, across.high) * across.share;
        const double lower = value(down.high, across.low) * (1 - across.share) +
                             value(down.high, across.high) * across.share;
        out[c * at.channel] = static_cast<float>(upper * (1 - down.share) + lower * down.share);
      }
    }
  return result;
}

Tensor apply_channel_shift(const Tensor& x, double intensity) {
  return ops::clip(x + intensity, ops::min(x), ops::max(x));
}

Tensor apply_brightness_shift(const Tensor& x, double brightness, bool scale,
                              const std::string& data_format) {
  const double least = ops::min(x).item(), most = ops::max(x).item();
  const bool beyond = least < 0 || most > 255;
  utils::Image image = utils::array_to_img(x, data_format, beyond || scale);
  const auto factor = static_cast<float>(brightness);
  for (size_t i = 0; i < image.pixels.size(); ++i) {
    if (image.channels == 4 && i % 4 == 3) continue;  // alpha
    const float value = factor * static_cast<float>(image.pixels[i]);
    image.pixels[i] = static_cast<uint8_t>(std::clamp(value, 0.0f, 255.0f));
  }
  const Tensor y = utils::img_to_array(image, data_format);
  if (scale || !beyond) return y;
  return y / 255.0 * (most - least) + least;
}

Tensor flip_axis(const Tensor& x, int64_t axis) { return ops::flip(x, axis); }

}  // namespace cornu::preprocessing::image
