// Histograms made even.
#include "equalization.h"

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/math/segment.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "colors.h"

namespace cornu::layers {

namespace {

// Values of one range as those of another; the scale is one number.
Tensor scaled(const Tensor& x, const std::vector<double>& from, const std::vector<double>& to) {
  if (from == to) return x;
  const double scale = (to[1] - to[0]) / (from[1] - from[0]);
  return fused([](Expr x, Expr scale, Expr offset) { return x * scale + offset; }, x, Tensor(scale),
               Tensor(to[0] - from[0] * scale));
}

}  // namespace

EqualizationLayer::EqualizationLayer(EqualizationConfig c) : ImageLayerOf(std::move(c)) {
  config.value_range = settled_range(config.value_range);
  check_positive("bins", config.bins);
}

Tensor EqualizationLayer::transform_images(const Tensor& images, const Transformation&,
                                           bool training) {
  if (!training) return images;
  const double top = static_cast<double>(config.bins - 1);
  const int axis = channel_axis();
  const Tensor all = ops::cast(images, compute_dtype());
  std::vector<Tensor> channels;
  for (const Tensor& plane : ops::split(all, {all.shape(axis)}, axis)) {
    const Tensor x = scaled(plane, config.value_range, byte_range);
    const auto bin_of = [&](const Tensor& place) {
      return ops::cast(ops::clip(place, 0.0, top), DType::int32);
    };
    const Tensor bins = ops::reshape(bin_of(ops::cast(x, DType::float32) * top / 255.0), {-1});
    const Tensor ones = ops::ones({bins.size()}, DType::int32);
    const Tensor histogram = ops::segment_sum(ones, bins, config.bins);
    const Tensor sums = ops::cumsum(histogram, 0);
    const Tensor total = ops::max(sums);
    // The sum at the first bin that is not empty.
    const Tensor least = ops::min(ops::where(ops::greater(sums, 0), sums, total));
    const Tensor span = ops::cast(ops::maximum(total - least, 1), DType::float32);
    const Tensor table = ops::clip(
        detail::round_even(ops::cast((sums - least) * 255, DType::float32) / span), 0.0, 255.0);
    const Tensor equalized = ops::take(table, bin_of(x / 255.0 * top), 0);
    const Tensor used = ops::sum(ops::cast(ops::greater(histogram, 0), DType::int32));
    channels.push_back(
        scaled(ops::where(ops::less_equal(used, 1), x, equalized), byte_range, config.value_range));
  }
  return ops::cast(ops::concatenate(channels, axis), compute_dtype());
}

void register_equalization(Catalog& c) { c.add<EqualizationLayer>("keras.layers.Equalization"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::EqualizationLayer, cornu::layers::EqualizationConfig>;
