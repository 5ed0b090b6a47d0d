// Filters as depthwise convolutions.
#include "filters.h"

#include <fmt/core.h>

#include <cmath>

#include "../catalog.h"
#include "../core/cast.h"
#include "../detail/images.h"
#include "../elementwise.h"
#include "../nn/convolution.h"
#include "../numpy/creation.h"
#include "../numpy/manipulation.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

Tensor gaussian_blur(const Tensor& images, const std::vector<int64_t>& size,
                     const std::vector<double>& sigma, const DataFormat& format) {
  if (is_symbolic(images)) return symbolic_call(&gaussian_blur, images, size, sigma, format);
  detail::check_images(images, "gaussian_blur");
  const bool last = detail::is_channels_last(format, "gaussian_blur");
  if (size.size() != 2 || size[0] < 1 || size[1] < 1 || (sigma.size() != 1 && sigma.size() != 2))
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
}

Tensor sobel_edges(const Tensor& images, const DataFormat& format) {
  if (is_symbolic(images)) return symbolic_call(&sobel_edges, images, format);
  if (images.rank() != 4 || !is_float(images.dtype()))
    throw ShapeError(
        fmt::format("sobel_edges: expected a batch of images (4 axes) of floats, found {} of "
                    "shape {}.",
                    dtype_name(images.dtype()), images.shape().str()));
  const bool last = detail::is_channels_last(format, "sobel_edges");
  const Tensor x = last ? images : moveaxis(images, {1}, {-1});
  const int64_t n = x.shape(0), h = x.shape(1), w = x.shape(2), channels = x.shape(3);
  // Down and across, one beside the other.
  const Tensor kernels = cast(
      Tensor::from(std::vector<float>{-1, -1, -2, 0, -1, 1, 0, -2, 0, 0, 0, 2, 1, -1, 2, 0, 1, 1},
                   {3, 3, 1, 2}),
      x.dtype());
  const Tensor y = depthwise_conv(pad(x, {{0, 0}, {1, 1}, {1, 1}, {0, 0}}, "reflect"),
                                  broadcast_to(kernels, {3, 3, channels, 2}));
  const Tensor edges = reshape(y, {n, h, w, channels, 2});
  return last ? edges : moveaxis(edges, {3}, {1});
}

Tensor ssim(const Tensor& image1, const Tensor& image2, double max_val, int64_t size, double sigma,
            double k1, double k2, const DataFormat& format) {
  if (is_symbolic(image1, image2))
    return symbolic_call(&ssim, image1, image2, max_val, size, sigma, k1, k2, format);
  detail::check_images(image1, "ssim");
  detail::check_images(image2, "ssim");
  if (image1.shape() != image2.shape() || size < 1)
    throw ShapeError(
        fmt::format("ssim: expected images of equal shapes and a positive filter_size, found "
                    "shapes {} and {}, filter_size {}.",
                    image1.shape().str(), image2.shape().str(), size));
  const bool single = image1.rank() == 3, last = detail::is_channels_last(format, "ssim");
  const DType type = is_float(image1.dtype()) ? image1.dtype() : DType::float32;
  // Each channel as an image of its own.
  const auto planes = [&](const Tensor& image) {
    const Tensor batch = single ? expand_dims(image, {0}) : image;
    const Tensor x = cast(last ? moveaxis(batch, {-1}, {1}) : batch, type);
    return reshape(x, {-1, x.shape(2), x.shape(3), 1});
  };
  const Tensor a = planes(image1), b = planes(image2);
  const Tensor place = arange(0, size, 1, type) - Tensor(static_cast<double>(size - 1) / 2);
  const Tensor bell = exp(-(place * place) / Tensor(2 * sigma * sigma));
  const Tensor share = bell / sum(bell);
  const Tensor kernel = reshape(reshape(share, {-1, 1}) * share, {size, size, 1, 1});
  const auto blur = [&](const Tensor& x) { return conv(x, kernel); };

  const Tensor mean1 = blur(a), mean2 = blur(b);
  const Tensor squares1 = mean1 * mean1, squares2 = mean2 * mean2, product = mean1 * mean2;
  const Tensor variance1 = blur(a * a) - squares1, variance2 = blur(b * b) - squares2,
               covariance = blur(a * b) - product;
  const Tensor c1((k1 * max_val) * (k1 * max_val)), c2((k2 * max_val) * (k2 * max_val));
  const Tensor map = (2.0 * product + c1) * (2.0 * covariance + c2) /
                     ((squares1 + squares2 + c1) * (variance1 + variance2 + c2));
  const int64_t channels = image1.shape(last ? -1 : -3);
  const Tensor y =
      mean(reshape(mean(map, {1, 2, 3}), {single ? 1 : image1.shape(0), channels}), -1);
  return cast(single ? squeeze(y, 0) : y, image1.dtype());
}

void list_image_filters(OpCatalog& catalog) {
  catalog.add("image.GaussianBlur",
              {"images", "kernel_size=(3,3)", "sigma=(1.0,1.0)", "data_format=None"},
              &gaussian_blur);
  catalog.add("image.SobelEdges", {"images", "data_format=None"}, &sobel_edges);
  catalog.add("image.SSIM",
              {"image1", "image2", "max_val=1.0", "filter_size=11", "filter_sigma=1.5", "k1=0.01",
               "k2=0.03", "data_format=None"},
              &ssim);
}

}  // namespace cornu::ops
