// Resampling, as products with matrices of weights.
#include "resize.h"

#include <fmt/core.h>

#include <algorithm>
#include <numbers>

#include "../catalog.h"
#include "../core/cast.h"
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

// (size, output): how much each pixel of an axis contributes to each of the result. `scale`,
// `translation`: scalars. `parts`, if not 0: of how many parts of a pixel places are whole numbers.
Tensor weights_of(int64_t size, int64_t output, const Tensor& scale, const Tensor& translation,
                  Method method, bool antialias, double parts = 0) {
  const Tensor step = 1.0 / scale;
  const Tensor places = arange(0, output, 1, DType::float32);
  Tensor at = (places + 0.5) * step - translation * step - 0.5;
  if (parts > 0) {
    const Tensor before = floor(at);
    at = before + detail::round_even((at - before) * parts) / parts;
  }
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

// (size, output): the part of each new pixel that each old one covers.
Tensor area_weights(int64_t size, int64_t output) {
  std::vector<float> v(static_cast<size_t>(size * output));
  const double step = static_cast<double>(size) / static_cast<double>(output);
  for (int64_t i = 0; i < output; ++i)
    for (int64_t j = 0; j < size; ++j) {
      const double low = std::max(static_cast<double>(i) * step, static_cast<double>(j));
      const double high = std::min(static_cast<double>(i + 1) * step, static_cast<double>(j + 1));
      v[static_cast<size_t>(j * output + i)] = static_cast<float>(std::max(high - low, 0.0) / step);
    }
  return Tensor::from(v, {size, output});
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

Tensor nearest(const Tensor& x, int64_t output, int axis) {
  const int64_t size = x.shape()[axis];
  if (size == output) return x;
  std::vector<int32_t> at;
  for (int64_t i = 0; i < output; ++i) {
    // In float32, as Keras computes it: where it rounds to a whole number, that counts.
    const float place =
        (static_cast<float>(i) + 0.5f) * static_cast<float>(size) / static_cast<float>(output);
    at.push_back(static_cast<int32_t>(std::min<int64_t>(static_cast<int64_t>(place), size - 1)));
  }
  return take(x, Tensor(at), axis);
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

Tensor cropped_to_ratio(const Tensor& x, int rows, int64_t height, int64_t width) {
  const int64_t h = x.shape()[rows], w = x.shape()[rows + 1];
  const auto limit = [](int64_t wanted, int64_t size) {
    return std::max<int64_t>(std::min(size, wanted), 1);
  };
  const int64_t ch = limit(w * height / width, h), cw = limit(h * width / height, w);
  const int64_t top = (h - ch) / 2, left = (w - cw) / 2;
  Value::List key;
  for (int i = 0; i < x.rank(); ++i)
    key.push_back(i == rows       ? Slice{top, top + ch}
                  : i == rows + 1 ? Slice{left, left + cw}
                                  : Slice{});
  return get_item(x, key);
}

Tensor padded_to_ratio(const Tensor& x, int rows, int64_t height, int64_t width, double fill) {
  const int64_t h = x.shape()[rows], w = x.shape()[rows + 1];
  const int64_t top = (std::max(h, w * height / width) - h) / 2,
                left = (std::max(w, h * width / height) - w) / 2;
  std::vector<std::vector<int64_t>> widths(static_cast<size_t>(x.rank()), {0, 0});
  // One side at most is short, and gets as much before as after.
  if (top > 0)
    widths[static_cast<size_t>(rows)] = {top, top};
  else if (left > 0)
    widths[static_cast<size_t>(rows) + 1] = {left, left};
  else
    return x;
  return pad(x, widths, "constant", fill);
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
  const Tensor x = crop  ? cropped_to_ratio(images, rows, size[0], size[1])
                   : pad ? padded_to_ratio(images, rows, size[0], size[1], fill_value)
                         : images;
  if (interpolation == "nearest") return nearest(nearest(x, size[0], rows), size[1], rows + 1);
  const bool area = interpolation == "area";
  const Method method = area ? Method::linear : method_of(interpolation, "resize: interpolation");
  // TensorFlow reads the weights of its cubic kernel from a table.
  const double parts = method == Method::cubic && !antialias ? 1024 : 0;
  Tensor y = is_float(x.dtype()) ? x : cast(x, DType::float32);
  for (int i = 0; i < 2; ++i) {
    const int64_t from = y.shape()[rows + i], to = size[static_cast<size_t>(i)];
    if (from == to) continue;
    const double scale = static_cast<double>(to) / static_cast<double>(from);
    const Tensor weights =
        area ? area_weights(from, to) : weights_of(from, to, scale, 0.0, method, antialias, parts);
    y = along(y, cast(weights, y.dtype()), rows + i);
  }
  return as_dtype(y, images.dtype());
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
