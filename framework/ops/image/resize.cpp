// Resampling by kernels of the host, or as products with matrices of weights.
#include "resize.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/host_resize.h"
#include "../detail/images.h"
#include "../elementwise.h"
#include "../numpy/creation.h"
#include "../numpy/indexing.h"
#include "../numpy/manipulation.h"
#include "../numpy/products.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

using backend::image::Frame;
using backend::image::Resizing;

enum class Method { linear, cubic, lanczos3, lanczos5 };

// The weight of a pixel at distance x >= 0.
Tensor kernel_at(const Tensor& x, Method method) {
  const auto lanczos = [&](double radius) {
    return fused(
        [](Expr x, Expr r) {
          const Expr turn = x * std::numbers::pi;
          const Expr y =
              r * expr::sin(turn) * expr::sin(turn / r) / expr::select(x > 0.0, turn * turn, 1.0);
          return expr::select(x > r, 0.0, expr::select(x > 1e-3, y, 1.0));
        },
        x, Tensor(radius));
  };
  switch (method) {
    case Method::linear:
      return fused([](Expr x) { return expr::relu(1.0 - x); }, x);
    case Method::cubic:
      // R. Keys, Cubic Convolution Interpolation for Digital Image Processing (1981), with a =
      // -1/2.
      return fused(
          [](Expr x) {
            const Expr near = (1.5 * x - 2.5) * x * x + 1.0,
                       far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0;
            return expr::select(x >= 2.0, 0.0, expr::select(x >= 1.0, far, near));
          },
          x);
    case Method::lanczos3:
      return lanczos(3);
    case Method::lanczos5:
      break;
  }
  return lanczos(5);
}

// (size, output): how much each pixel of an axis contributes to each of the result.
Tensor matrix_of(const backend::image::AxisWeights& axis, int64_t size) {
  const auto output = static_cast<int64_t>(axis.first.size());
  std::vector<double> v(static_cast<size_t>(size * output));
  for (int64_t i = 0; i < output; ++i)
    for (int64_t k = 0; k < axis.taps; ++k)
      v[static_cast<size_t>((axis.first[static_cast<size_t>(i)] + k) * output + i)] =
          axis.weights[static_cast<size_t>(i * axis.taps + k)];
  return Tensor::from(v, {size, output});
}

// The same for scalars that are known only when it runs.
Tensor weights_of(int64_t size, int64_t output, const Tensor& scale, const Tensor& translation,
                  Method method, bool antialias) {
  const Tensor step = 1.0 / scale;
  const Tensor places = arange(0, output, 1, DType::float32);
  const Tensor at = (places + 0.5) * step - translation * step - 0.5;
  const Tensor pixels = expand_dims(arange(0, size, 1, DType::float32), {1});
  Tensor distance = absolute(at - pixels);
  if (antialias) distance = distance / maximum(step, 1.0);
  const Tensor weights = kernel_at(distance, method);
  const Tensor total = sum(weights, 0, true);
  // Pixels outside the image have no weight; what is left is scaled up, unless nothing is.
  return fused(
      [](Expr w, Expr total, Expr at, Expr end) {
        const Expr share = w / expr::select(expr::equal(total, 0.0), 1.0, total);
        const Expr inside = (at >= -0.5) * (at <= end);
        return expr::select(inside * (expr::absolute(total) > 1.1920929e-4), share, 0.0);
      },
      weights, total, at, Tensor(static_cast<double>(size) - 0.5));
}

// x with axis `axis` multiplied by weights (size, output).
Tensor along(const Tensor& x, const Tensor& weights, int axis) {
  if (axis == x.rank() - 1) return matmul(x, weights);
  if (axis == x.rank() - 2) return matmul(swapaxes(weights, 0, 1), x);
  return swapaxes(matmul(swapaxes(x, axis, -1), weights), axis, -1);
}

Tensor as_dtype(const Tensor& y, DType dtype) {
  return is_float(dtype) ? cast(y, dtype) : cast(detail::round_even(y), dtype);
}

// The pixels of an axis that are nearest to those of the result.
Tensor nearest(const Tensor& x, int64_t output, int axis) {
  const int64_t size = x.shape()[axis];
  if (size == output) return x;
  const std::vector<int64_t> places =
      backend::image::resize_weights(size, output, {"nearest"}).first;
  return take(x, Tensor(std::vector<int32_t>(places.begin(), places.end())), axis);
}

Method method_of(const std::string& name, const char* who) {
  if (name == "linear" || name == "bilinear" || name == "trilinear") return Method::linear;
  if (name == "cubic" || name == "bicubic" || name == "tricubic") return Method::cubic;
  if (name == "lanczos3") return Method::lanczos3;
  if (name == "lanczos5") return Method::lanczos5;
  throw ValueError(fmt::format(
      "{}: '{}' is not known.{}", who, name,
      did_you_mean(name, {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5", "area"})));
}

// The names that files may have, as the kernels' ones.
std::string interpolation_of(const std::string& name) {
  if (name == "nearest" || name == "area") return name;
  switch (method_of(name, "resize: interpolation")) {
    case Method::linear:
      return "bilinear";
    case Method::cubic:
      return "bicubic";
    case Method::lanczos3:
      return "lanczos3";
    case Method::lanczos5:
      break;
  }
  return "lanczos5";
}

Frame cropped_to_ratio(int64_t h, int64_t w, int64_t height, int64_t width) {
  const auto limit = [](int64_t wanted, int64_t size) {
    return std::max<int64_t>(std::min(size, wanted), 1);
  };
  const int64_t ch = limit(w * height / width, h), cw = limit(h * width / height, w);
  return {(h - ch) / 2, (w - cw) / 2, ch, cw};
}

Frame padded_to_ratio(int64_t h, int64_t w, int64_t height, int64_t width, double fill) {
  // One side at most is short, and gets as much before as after.
  const int64_t above = (std::max(h, w * height / width) - h) / 2;
  const int64_t beside = above > 0 ? 0 : (std::max(w, h * width / height) - w) / 2;
  return {-above, -beside, h + 2 * above, w + 2 * beside, fill};
}

// The part of the images that a frame holds, with what it has around them.
Tensor framed(const Tensor& x, int rows, const Frame& frame) {
  const int64_t h = x.shape()[rows], w = x.shape()[rows + 1];
  if (frame.top < 0 || frame.left < 0) {
    std::vector<std::vector<int64_t>> widths(static_cast<size_t>(x.rank()), {0, 0});
    widths[static_cast<size_t>(rows)] = {-frame.top, -frame.top};
    widths[static_cast<size_t>(rows) + 1] = {-frame.left, -frame.left};
    return pad(x, widths, "constant", frame.value);
  }
  if (frame.height == h && frame.width == w) return x;
  Value::List key(static_cast<size_t>(x.rank()), Slice{});
  key[static_cast<size_t>(rows)] = Slice{frame.top, frame.top + frame.height};
  key[static_cast<size_t>(rows) + 1] = Slice{frame.left, frame.left + frame.width};
  return get_item(x, key);
}

// By products with matrices: what devices other than the host do.
Tensor resized_by_matrices(const Tensor& x, int rows, int64_t height, int64_t width,
                           const Resizing& how) {
  if (how.interpolation == "nearest") return nearest(nearest(x, height, rows), width, rows + 1);
  Tensor y = is_float(x.dtype()) ? x : cast(x, DType::float32);
  for (const auto& [axis, output] : {std::pair{rows, height}, std::pair{rows + 1, width}}) {
    const int64_t size = y.shape()[axis];
    if (size == output) continue;
    const Tensor weights = matrix_of(backend::image::resize_weights(size, output, how), size);
    y = along(y, cast(weights, y.dtype()), axis);
  }
  return as_dtype(y, x.dtype());
}

// The images as (n, height, width, channels), where channels may be images of their own.
Shape batch_shape(const Shape& images, int rows) {
  int64_t count = 1, channels = 1;
  for (int i = 0; i < rows; ++i) count *= images[i];
  for (int i = rows + 2; i < images.rank(); ++i) channels *= images[i];
  return {count, images[rows], images[rows + 1], channels};
}

}  // namespace

Tensor resize(const Tensor& images, const std::vector<int64_t>& size,
              const std::string& interpolation, bool antialias, bool crop, bool pad,
              const std::string& fill_mode, double fill_value, const DataFormat& format) {
  if (is_symbolic(images))
    return symbolic_call(&resize, images, size, interpolation, antialias, crop, pad, fill_mode,
                         fill_value, format);
  detail::check_images(images, "resize");
  if (size.size() != 2 || size[0] < 1 || size[1] < 1)
    throw ValueError("resize: size must be (height, width), both positive.");
  if (crop && pad)
    throw ValueError("resize: crop_to_aspect_ratio and pad_to_aspect_ratio cannot both be true.");
  if (fill_mode != "constant")
    throw ValueError(
        fmt::format("resize: fill_mode must be \"constant\", found \"{}\".", fill_mode));
  const int rows = images.rank() - (detail::is_channels_last(format, "resize") ? 3 : 2);
  const Resizing how{interpolation_of(interpolation), antialias};
  Shape result = images.shape();
  result[rows] = size[0];
  result[rows + 1] = size[1];
  if (!images.is_eager()) return Tensor::abstract(result, images.dtype());
  const int64_t h = images.shape()[rows], w = images.shape()[rows + 1];
  // What surrounds integers is one as well.
  const double fill = is_float(images.dtype()) ? fill_value
                      : images.dtype() == DType::uint8
                          ? std::clamp(std::trunc(fill_value), 0.0, 255.0)
                          : std::trunc(fill_value);
  Frame frame = crop  ? cropped_to_ratio(h, w, size[0], size[1])
                : pad ? padded_to_ratio(h, w, size[0], size[1], fill)
                      : Frame{0, 0, h, w};
  if (!detail::host_resizes(images))
    return resized_by_matrices(framed(images, rows, frame), rows, size[0], size[1], how);
  Tensor x = images;
  if (how.interpolation == "nearest" && pad) {
    x = framed(images, rows, frame);
    frame.top = frame.left = 0;
  }
  return reshape(detail::resized_on_host(reshape(x, batch_shape(x.shape(), rows)), frame, size[0],
                                         size[1], how),
                 result);
}

Tensor scale_and_translate(const Tensor& images, const Shape& output, const Tensor& scale,
                           const Tensor& translation, const std::vector<int64_t>& axes,
                           const std::string& method, bool antialias) {
  if (is_symbolic(images, scale, translation))
    return symbolic_call(&scale_and_translate, images, output, scale, translation, axes, method,
                         antialias);
  const int64_t n = static_cast<int64_t>(axes.size());
  if (output.rank() != images.rank() || scale.shape() != Shape{n} ||
      translation.shape() != Shape{n})
    throw ShapeError(fmt::format(
        "scale_and_translate: output_shape {} must have as many axes as images of shape {}, "
        "and scale and translation a number for each of the {} spatial_dims.",
        output.str(), images.shape().str(), n));
  Tensor y = is_float(images.dtype()) ? images : cast(images, DType::float32);
  const Method m = method_of(method, "scale_and_translate: method");
  for (int64_t i = 0; i < n; ++i) {
    const int axis = normalize_axis(axes[static_cast<size_t>(i)], images.rank(),
                                    "scale_and_translate: spatial_dims");
    const Tensor weights =
        weights_of(images.shape()[axis], output[axis], scale[i], translation[i], m, antialias);
    y = along(y, cast(weights, y.dtype()), axis);
  }
  return as_dtype(y, images.dtype());
}

void list_image_resize(OpCatalog& catalog) {
  catalog.add("image.Resize",
              {"images", "size", "interpolation='bilinear'", "antialias=False",
               "crop_to_aspect_ratio=False", "pad_to_aspect_ratio=False", "fill_mode='constant'",
               "fill_value=0.0", "data_format=None"},
              &resize);
  catalog.add("image.ScaleAndTranslate",
              {"images", "output_shape", "scale", "translation", "spatial_dims", "method",
               "antialias=True"},
              &scale_and_translate);
}

}  // namespace cornu::ops
