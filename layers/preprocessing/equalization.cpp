// Histograms made even.
#include "equalization.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/creation.h"
#include "../../framework/ops/indexing.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/reduction.h"
#include "../../framework/ops/segment.h"
#include "../../framework/ops/shaping.h"
#include "augmentation.h"

namespace cornu::layers {

EqualizationLayer::EqualizationLayer(EqualizationConfig c) : LayerOf(std::move(c)) {
  const auto [low, high] = checked_range(config.value_range);
  config.value_range = {low, high};
  check_positive("bins", config.bins);
}

std::shared_ptr<EqualizationLayer> EqualizationLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor EqualizationLayer::call(const Tensor& given, const Call& call) {
  if (!augments(call)) return given;
  const std::pair<double, double> range{config.value_range[0], config.value_range[1]},
      bytes{0, 255};
  const double top = static_cast<double>(config.bins - 1);
  const int axis = channels_first(config.data_format) ? -3 : -1;
  const Tensor images = ops::cast(given, compute_dtype());
  std::vector<Tensor> channels;
  for (const Tensor& plane : ops::split(images, {images.shape(axis)}, axis)) {
    const Tensor x = to_range(plane, range, bytes);
    const Tensor wide = ops::cast(x, DType::float32);
    const auto bin_of = [&](const Tensor& scaled) {
      return ops::cast(ops::clip(scaled, 0.0, top), DType::int32);
    };
    const Tensor bins = ops::reshape(bin_of(wide * top / 255.0), {-1});
    const Tensor ones = ops::ones({bins.size()}, DType::int32);
    const Tensor histogram = ops::segment_sum(ones, bins, config.bins);
    const Tensor sums = ops::cumsum(histogram, 0);
    const Tensor total = ops::max(sums);
    // The sum at the first bin that is not empty.
    const Tensor least = ops::min(ops::where(ops::greater(sums, 0), sums, total));
    const Tensor span = ops::cast(ops::maximum(total - least, 1), DType::float32);
    const Tensor table = ops::clip(
        ops::round_even(ops::cast((sums - least) * 255, DType::float32) / span), 0.0, 255.0);
    const Tensor equalized = ops::take(table, bin_of(wide / 255.0 * top), 0);
    const Tensor used = ops::sum(ops::cast(ops::greater(histogram, 0), DType::int32));
    channels.push_back(
        to_range(ops::where(ops::less_equal(used, 1), wide, equalized), bytes, range));
  }
  return ops::cast(ops::concatenate(channels, axis), compute_dtype());
}

void register_equalization(Catalog& c) { c.add<EqualizationLayer>("keras.layers.Equalization"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::EqualizationLayer, cornu::layers::EqualizationConfig>;
