// Colours, borders and blur of images.
#include "color.h"

#include <fmt/core.h>

#include <cmath>

#include "../catalog.h"
#include "../core/cast.h"
#include "../numpy/creation.h"
#include "../elementwise.h"
#include "../numpy/indexing.h"
#include "../operators.h"
#include "../numpy/reduction.h"
#include "../numpy/manipulation.h"
#include "../nn/convolution.h"

namespace cornu {
namespace detail {

bool is_channels_last(const ops::DataFormat& data_format, const char* who) {
  if (!data_format || *data_format == "channels_last") return true;
  if (*data_format == "channels_first") return false;
  throw ValueError(
      fmt::format("{}: data_format must be \"channels_last\" or \"channels_first\", found \"{}\".",
                  who, *data_format));
}

void check_images(const Tensor& images, const char* who) {
  if (images.rank() != 3 && images.rank() != 4)
    throw ShapeError(
        fmt::format("{}: expected one image (3 axes) or a batch of them (4 axes), found shape {}.",
                    who, images.shape().str()));
}

}  // namespace detail

namespace ops {
namespace {

using OptionalSize = std::optional<int64_t>;

// The three channels, each with an axis of size 1.
std::vector<Tensor> planes(const Tensor& images, const DataFormat& format, const char* who) {
  detail::check_images(images, who);
  if (!is_float(images.dtype()))
    throw ValueError(
        fmt::format("{}: expected floats, found {}.", who, dtype_name(images.dtype())));
  const int axis = detail::is_channels_last(format, who) ? -1 : -3;
  if (images.shape(axis) != 3)
    throw ShapeError(
        fmt::format("{}: expected 3 channels, found shape {}.", who, images.shape().str()));
  return split(images, {3}, axis);
}

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

// Borders of an axis from two of low, high and the size after; `sign` is 1 for padding, -1 for
// cropping.
std::pair<int64_t, int64_t> borders(OptionalSize low, OptionalSize high, OptionalSize target,
                                    int64_t size, int sign, const char* who, const char* names) {
  if (low.has_value() + high.has_value() + target.has_value() != 2)
    throw ValueError(fmt::format("{}: exactly two of {} must be given.", who, names));
  const int64_t total = target ? sign * (*target - size) : 0;
  const int64_t before = low ? *low : total - *high, after = high ? *high : total - *low;
  if (before < 0 || after < 0)
    throw ValueError(
        fmt::format("{}: {} come out as {} and {} for a size of {}; they must not be negative.",
                    who, names, before, after, size));
  return {before, after};
}

}  // namespace

Tensor rgb_to_grayscale(const Tensor& images, const DataFormat& data_format) {
  return op(
      &rgb_to_grayscale,
      [](const Tensor& images, const DataFormat& format) {
        detail::check_images(images, "rgb_to_grayscale");
        const int axis = detail::is_channels_last(format, "rgb_to_grayscale") ? -1 : -3;
        if (images.shape(axis) == 1) return images;
        if (images.shape(axis) != 3)
          throw ShapeError(fmt::format(
              "rgb_to_grayscale: expected 3 channels or 1, found shape {}.", images.shape().str()));
        const auto p = split(images, {3}, axis);
        return cast(fused([](Expr r, Expr g, Expr b) { return r * 0.2989 + g * 0.587 + b * 0.114; },
                          p[0], p[1], p[2]),
                    images.dtype());
      },
      images, data_format);
}

Tensor rgb_to_hsv(const Tensor& images, const DataFormat& data_format) {
  return op(
      &rgb_to_hsv,
      [](const Tensor& images, const DataFormat& format) {
        const Tensor clean =
            where(less(absolute(images), epsilon_of(images.dtype())), zeros_like(images), images);
        const auto p = planes(clean, format, "rgb_to_hsv");
        const Tensor value = maximum(maximum(p[0], p[1]), p[2]);
        const Tensor range = value - minimum(minimum(p[0], p[1]), p[2]);
        const Tensor saturation = fused(
            [](Expr v, Expr range) {
              return expr::select(v > 0.0, range / expr::select(v > 0.0, v, 1.0), 0.0);
            },
            value, range);
        const Tensor norm = fused(
            [](Expr range) { return 1.0 / (6.0 * expr::select(range > 0.0, range, 1.0)); }, range);
        const Tensor green_or_blue = where(equal(value, p[1]), norm * (p[2] - p[0]) + 2.0 / 6.0,
                                           norm * (p[0] - p[1]) + 4.0 / 6.0);
        const Tensor hue = where(equal(value, p[0]), norm * (p[1] - p[2]), green_or_blue);
        const Tensor turned = fused(
            [](Expr range, Expr hue) { return expr::select(range > 0.0, hue, 0.0) + (hue < 0.0); },
            range, hue);
        return concatenate({turned, saturation, value},
                           detail::is_channels_last(format, "rgb_to_hsv") ? -1 : -3);
      },
      images, data_format);
}

Tensor hsv_to_rgb(const Tensor& images, const DataFormat& data_format) {
  return op(
      &hsv_to_rgb,
      [](const Tensor& images, const DataFormat& format) {
        const auto p = planes(images, format, "hsv_to_rgb");
        const Tensor red = fused(
            [](Expr h, Expr s, Expr v) {
              const Expr d = expr::mod(h, 1.0) * 6.0;
              return v *
                     (1.0 - s + s * expr::minimum(expr::relu(expr::absolute(d - 3.0) - 1.0), 1.0));
            },
            p[0], p[1], p[2]);
        const Tensor green = fused(
            [](Expr h, Expr s, Expr v) {
              const Expr d = expr::mod(h, 1.0) * 6.0;
              return v *
                     (1.0 - s + s * expr::minimum(expr::relu(2.0 - expr::absolute(d - 2.0)), 1.0));
            },
            p[0], p[1], p[2]);
        const Tensor blue = fused(
            [](Expr h, Expr s, Expr v) {
              const Expr d = expr::mod(h, 1.0) * 6.0;
              return v *
                     (1.0 - s + s * expr::minimum(expr::relu(2.0 - expr::absolute(d - 4.0)), 1.0));
            },
            p[0], p[1], p[2]);
        return concatenate({red, green, blue},
                           detail::is_channels_last(format, "hsv_to_rgb") ? -1 : -3);
      },
      images, data_format);
}

Tensor pad_images(const Tensor& images, OptionalSize top_padding, OptionalSize left_padding,
                  OptionalSize bottom_padding, OptionalSize right_padding,
                  OptionalSize target_height, OptionalSize target_width,
                  const DataFormat& data_format) {
  return op(
      &pad_images,
      [](const Tensor& images, OptionalSize top, OptionalSize left, OptionalSize bottom,
         OptionalSize right, OptionalSize height, OptionalSize width, const DataFormat& format) {
        detail::check_images(images, "pad_images");
        const bool last = detail::is_channels_last(format, "pad_images");
        const auto [t, b] = borders(top, bottom, height, images.shape(last ? -3 : -2), 1,
                                    "pad_images", "top_padding, bottom_padding and target_height");
        const auto [l, r] = borders(left, right, width, images.shape(last ? -2 : -1), 1,
                                    "pad_images", "left_padding, right_padding and target_width");
        std::vector<std::vector<int64_t>> widths(static_cast<size_t>(images.rank()), {0, 0});
        const size_t row = static_cast<size_t>(images.rank() - (last ? 3 : 2));
        widths[row] = {t, b};
        widths[row + 1] = {l, r};
        return pad(images, widths);
      },
      images, top_padding, left_padding, bottom_padding, right_padding, target_height, target_width,
      data_format);
}

Tensor crop_images(const Tensor& images, OptionalSize top_cropping, OptionalSize left_cropping,
                   OptionalSize bottom_cropping, OptionalSize right_cropping,
                   OptionalSize target_height, OptionalSize target_width,
                   const DataFormat& data_format) {
  return op(
      &crop_images,
      [](const Tensor& images, OptionalSize top, OptionalSize left, OptionalSize bottom,
         OptionalSize right, OptionalSize height, OptionalSize width, const DataFormat& format) {
        detail::check_images(images, "crop_images");
        const bool last = detail::is_channels_last(format, "crop_images");
        const int64_t h = images.shape(last ? -3 : -2), w = images.shape(last ? -2 : -1);
        const auto [t, b] = borders(top, bottom, height, h, -1, "crop_images",
                                    "top_cropping, bottom_cropping and target_height");
        const auto [l, r] = borders(left, right, width, w, -1, "crop_images",
                                    "left_cropping, right_cropping and target_width");
        if (t + b > h || l + r > w)
          throw ValueError(fmt::format(
              "crop_images: expected at most {} x {} pixels to crop, found {} rows and {} "
              "columns.",
              h, w, t + b, l + r));
        const Slice rows{t, h - b}, columns{l, w - r};
        if (last) return get_item(images, Value::List{Ellipsis{}, rows, columns, Slice{}});
        return get_item(images, Value::List{Ellipsis{}, rows, columns});
      },
      images, top_cropping, left_cropping, bottom_cropping, right_cropping, target_height,
      target_width, data_format);
}

Tensor gaussian_blur(const Tensor& images, const std::vector<int64_t>& kernel_size,
                     const std::vector<double>& sigma, const DataFormat& data_format) {
  return op(
      &gaussian_blur,
      [](const Tensor& images, const std::vector<int64_t>& size, const std::vector<double>& sigma,
         const DataFormat& format) {
        detail::check_images(images, "gaussian_blur");
        const bool last = detail::is_channels_last(format, "gaussian_blur");
        if (size.size() != 2 || size[0] < 1 || size[1] < 1 ||
            (sigma.size() != 1 && sigma.size() != 2))
          throw ValueError(
              "gaussian_blur: kernel_size must be two positive numbers, and sigma one or two.");
        const auto bell = [](int64_t n, double s) {
          std::vector<double> v(static_cast<size_t>(n));
          double total = 0;
          for (int64_t i = 0; i < n; ++i) {
            const double d = (static_cast<double>(i) - static_cast<double>(n - 1) / 2) / s;
            total += v[static_cast<size_t>(i)] = std::exp(-0.5 * d * d);
          }
          for (double& x : v) x /= total;
          return v;
        };
        const auto across = bell(size[0], sigma.front()), down = bell(size[1], sigma.back());
        const int64_t channels = images.shape(last ? -1 : -3);
        std::vector<float> kernel;
        for (double y : down)
          for (double x : across)
            for (int64_t c = 0; c < channels; ++c) kernel.push_back(static_cast<float>(x * y));
        const Tensor weights =
            cast(Tensor::from(kernel, {size[1], size[0], channels, 1}), images.dtype());
        const Tensor batch = images.rank() == 3 ? expand_dims(images, {0}) : images;
        const Tensor y =
            depthwise_conv(batch, weights, {1}, "same", last ? "channels_last" : "channels_first");
        return images.rank() == 3 ? squeeze(y, 0) : y;
      },
      images, kernel_size, sigma, data_format);
}

void list_image(OpCatalog& catalog) {
  catalog.add("image.RGBToGrayscale", {"images", "data_format=None"}, &rgb_to_grayscale);
  catalog.add("image.RGBToHSV", {"images", "data_format=None"}, &rgb_to_hsv);
  catalog.add("image.HSVToRGB", {"images", "data_format=None"}, &hsv_to_rgb);
  catalog.add("image.PadImages",
              {"images", "top_padding=None", "left_padding=None", "bottom_padding=None",
               "right_padding=None", "target_height=None", "target_width=None", "data_format=None"},
              &pad_images);
  catalog.add(
      "image.CropImages",
      {"images", "top_cropping=None", "left_cropping=None", "bottom_cropping=None",
       "right_cropping=None", "target_height=None", "target_width=None", "data_format=None"},
      &crop_images);
  catalog.add("image.GaussianBlur",
              {"images", "kernel_size=(3,3)", "sigma=(1.0,1.0)", "data_format=None"},
              &gaussian_blur);
  detail::list_image_filters(catalog);
  detail::list_image_resize(catalog);
  detail::list_image_transform(catalog);
}

}  // namespace ops
}  // namespace cornu
