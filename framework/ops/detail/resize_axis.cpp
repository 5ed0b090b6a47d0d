// Resampling along one axis, as a product with weights.
#include "resize_axis.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "../../../backend/resize_kernels.h"
#include "../core/cast.h"
#include "../numpy/complex.h"
#include "../numpy/indexing.h"
#include "../numpy/reduction.h"
#include "../operators.h"

namespace cornu::ops {

namespace {

using backend::image::ResizeKernel;

// Which places of the source make up each place of the result, `taps` for each, and with which
// weights.
struct Blend {
  int64_t taps = 0;
  std::vector<int32_t> indices;
  std::vector<double> weights;
};

Blend blend(int64_t from, int64_t to, const ResizeKernel& kernel, bool antialias) {
  const double ratio = static_cast<double>(from) / static_cast<double>(to);
  const double widen = antialias ? std::max(ratio, 1.0) : 1.0, radius = kernel.radius * widen;
  Blend b;
  b.taps = static_cast<int64_t>(std::ceil(2 * radius));
  std::vector<double> weights(static_cast<size_t>(b.taps));
  for (int64_t i = 0; i < to; ++i) {
    double center = (static_cast<double>(i) + 0.5) * ratio - 0.5;
    if (kernel.parts > 0 && !antialias)
      center = std::floor(center) +
               std::nearbyint((center - std::floor(center)) * kernel.parts) / kernel.parts;
    const auto first = static_cast<int64_t>(std::floor(center - radius)) + 1;
    double total = 0;
    for (int64_t t = 0; t < b.taps; ++t) {
      const int64_t place = first + t;
      const bool inside = place >= 0 && place < from;
      double& w = weights[static_cast<size_t>(t)];
      w = inside ? kernel.weight(std::abs(center - static_cast<double>(place)) / widen) : 0.0;
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
  const ResizeKernel kernel = backend::image::resize_kernel(
      interpolation, {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"});
  const Blend b = blend(from, size, kernel, antialias);
  const DType compute = is_float(x.dtype()) && size_of(x.dtype()) >= 4 ? x.dtype() : DType::float32;
  Shape along = {size, b.taps};
  for (int i = a + 1; i < x.rank(); ++i) along.push_back(1);
  const Tensor taps = take(cast(x, compute), Tensor::from(b.indices, {size, b.taps}), a);
  const Tensor weights = cast(Tensor::from(b.weights, along), compute);
  return cast(sum(taps * weights, a + 1), x.dtype());
}

}  // namespace cornu::ops
