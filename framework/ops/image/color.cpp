// Color spaces, each one program.
#include "color.h"

#include <fmt/core.h>

#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/images.h"
#include "../elementwise.h"
#include "../linalg/norm.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/joining.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

double epsilon_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return 2.220446049250313e-16;
    case DType::float16:
      return 9.765625e-4;
    case DType::bfloat16:
      return 7.8125e-3;
    default:
      return 1.1920928955078125e-7;
  }
}

}  // namespace

Tensor rgb_to_grayscale(const Tensor& images, const DataFormat& format) {
  if (is_symbolic(images)) return symbolic_call(&rgb_to_grayscale, images, format);
  detail::check_images(images, "rgb_to_grayscale");
  const int axis = detail::is_channels_last(format, "rgb_to_grayscale") ? -1 : -3;
  if (images.shape(axis) == 1) return images;
  if (images.shape(axis) != 3)
    throw ShapeError(fmt::format("rgb_to_grayscale: expected 3 channels or 1, found shape {}.",
                                 images.shape().str()));
  const auto p = split(images, 3, axis);
  return cast(fused([](Expr r, Expr g, Expr b) { return r * 0.2989 + g * 0.587 + b * 0.114; }, p[0],
                    p[1], p[2]),
              images.dtype());
}

Tensor rgb_to_hsv(const Tensor& images, const DataFormat& format) {
  if (is_symbolic(images)) return symbolic_call(&rgb_to_hsv, images, format);
  const Tensor clean =
      where(less(absolute(images), epsilon_of(images.dtype())), zeros_like(images), images);
  const auto p = detail::planes(clean, format, "rgb_to_hsv");
  const Tensor value = maximum(maximum(p[0], p[1]), p[2]);
  const Tensor range = value - minimum(minimum(p[0], p[1]), p[2]);
  const Tensor saturation = fused(
      [](Expr v, Expr range) {
        return expr::select(v > 0.0, range / expr::select(v > 0.0, v, 1.0), 0.0);
      },
      value, range);
  const Tensor norm =
      fused([](Expr range) { return 1.0 / (6.0 * expr::select(range > 0.0, range, 1.0)); }, range);
  const Tensor green_or_blue =
      where(equal(value, p[1]), norm * (p[2] - p[0]) + 2.0 / 6.0, norm * (p[0] - p[1]) + 4.0 / 6.0);
  const Tensor hue = where(equal(value, p[0]), norm * (p[1] - p[2]), green_or_blue);
  const Tensor turned =
      fused([](Expr range, Expr hue) { return expr::select(range > 0.0, hue, 0.0) + (hue < 0.0); },
            range, hue);
  return concatenate({turned, saturation, value},
                     detail::is_channels_last(format, "rgb_to_hsv") ? -1 : -3);
}

Tensor hsv_to_rgb(const Tensor& images, const DataFormat& format) {
  if (is_symbolic(images)) return symbolic_call(&hsv_to_rgb, images, format);
  const auto p = detail::planes(images, format, "hsv_to_rgb");
  const Tensor red = fused(
      [](Expr h, Expr s, Expr v) {
        const Expr d = expr::mod(h, 1.0) * 6.0;
        return v * (1.0 - s + s * expr::minimum(expr::relu(expr::absolute(d - 3.0) - 1.0), 1.0));
      },
      p[0], p[1], p[2]);
  const Tensor green = fused(
      [](Expr h, Expr s, Expr v) {
        const Expr d = expr::mod(h, 1.0) * 6.0;
        return v * (1.0 - s + s * expr::minimum(expr::relu(2.0 - expr::absolute(d - 2.0)), 1.0));
      },
      p[0], p[1], p[2]);
  const Tensor blue = fused(
      [](Expr h, Expr s, Expr v) {
        const Expr d = expr::mod(h, 1.0) * 6.0;
        return v * (1.0 - s + s * expr::minimum(expr::relu(2.0 - expr::absolute(d - 4.0)), 1.0));
      },
      p[0], p[1], p[2]);
  return concatenate({red, green, blue}, detail::is_channels_last(format, "hsv_to_rgb") ? -1 : -3);
}

void list_image_color(OpCatalog& catalog) {
  catalog.add("image.RGBToGrayscale", {"images", "data_format=None"}, &rgb_to_grayscale);
  catalog.add("image.RGBToHSV", {"images", "data_format=None"}, &rgb_to_hsv);
  catalog.add("image.HSVToRGB", {"images", "data_format=None"}, &hsv_to_rgb);
}

}  // namespace cornu::ops
