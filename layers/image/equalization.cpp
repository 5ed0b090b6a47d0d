// Histograms made even.
#include "equalization.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "../../backend/image_batch.h"
#include "../../backend/image_colors.h"
#include "../../framework/dispatch/apply.h"
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
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

namespace {

// Values of one range as those of another; the scale is one number.
Tensor scaled(const Tensor& x, const std::vector<double>& from, const std::vector<double>& to) {
  if (from == to) return x;
  const double scale = (to[1] - to[0]) / (from[1] - from[0]);
  return fused([](Expr x, Expr scale, Expr offset) { return x * scale + offset; }, x, Tensor(scale),
               Tensor(to[0] - from[0] * scale));
}

// A channel's values by its histogram, in the range of values; empty when there is only one bin.
std::vector<float> table_of(const int32_t* counts, int64_t bins, double low, double high) {
  int64_t total = 0, least = 0, used = 0;
  for (int64_t i = 0; i < bins; ++i) {
    total += counts[i];
    used += counts[i] > 0;
    if (least == 0) least = total;
  }
  std::vector<float> table;
  if (used <= 1) return table;
  const auto span = static_cast<float>(std::max<int64_t>(total - least, 1));
  int64_t sum = 0;
  for (int64_t i = 0; i < bins; ++i) {
    sum += counts[i];
    const double byte = std::clamp(
        std::nearbyint(static_cast<double>(static_cast<float>((sum - least) * 255) / span)), 0.0,
        255.0);
    table.push_back(static_cast<float>(byte / 255 * (high - low) + low));
  }
  return table;
}

// Each channel's histogram made even; one that has a single bin stays.
void equalize(const Picture& from, const Picture& to, const std::vector<double>& value_range,
              int64_t bins) {
  const double low = value_range[0], high = value_range[1];
  const auto factor = static_cast<float>(static_cast<double>(bins - 1) / (high - low)),
             offset = static_cast<float>(-low) * factor;
  const auto counts = histograms(from, {0, 0, from.height, from.width}, bins, factor, offset);
  const bool bytes = from.dtype == DType::uint8;
  const auto bin_of = [&](float x) {
    return static_cast<size_t>(std::clamp(x * factor + offset, 0.0f, static_cast<float>(bins - 1)));
  };
  std::vector<uint8_t> byte_tables;
  std::vector<float> tables;
  for (int64_t c = 0; c < from.channels; ++c) {
    const std::vector<float> table = table_of(counts.data() + c * bins, bins, low, high);
    for (int i = 0; bytes && i < 256; ++i)
      byte_tables.push_back(static_cast<uint8_t>(
          table.empty()
              ? static_cast<float>(i)
              : std::nearbyint(std::clamp(table[bin_of(static_cast<float>(i))], 0.0f, 255.0f))));
    for (int64_t i = 0; !bytes && i < bins; ++i)
      tables.push_back(table.empty() ? 0 : table[static_cast<size_t>(i)]);
    if (!bytes && table.empty()) {
      // A table cannot keep what differs within its only bin: leave the channel out.
      const std::vector<float> ones(static_cast<size_t>(from.channels), 1), none(ones.size(), 0);
      constexpr float infinity = std::numeric_limits<float>::infinity();
      return scale(from, to, ones, none, -infinity, infinity);
    }
  }
  if (bytes)
    look_up(from, to, byte_tables);
  else
    look_up(from, to, tables, bins, factor, offset);
}

// All images of a batch by one histogram for each channel, as Keras does it; values in [0, 255].
Tensor equalized_on_host(const Tensor& images, int64_t bins) {
  const TensorSpec spec = images.spec();
  return apply_host(
      [bins](std::span<const Tensor> in, std::span<const Tensor> out) {
        const Shape& shape = in[0].shape();
        const int64_t n = shape[0], channels = shape[3];
        const Picture first{in[0].data(), shape[1], shape[2], channels, DType::float32};
        Picture result = first;
        result.data = out[0].data();
        const auto top = static_cast<float>(bins - 1);
        const auto bin = [top](float place) {  // NaN to the first one
          return static_cast<int64_t>(std::min(std::max(0.0f, place), top));
        };
        std::vector<std::vector<int32_t>> counts(static_cast<size_t>(n));
        for_each_picture(first, n, [&](int64_t i) {
          std::vector<int32_t>& own = counts[static_cast<size_t>(i)];
          own.resize(static_cast<size_t>(channels * bins));
          const auto* x = static_cast<const float*>(nth(first, i).data);
          for (int64_t k = 0; k < first.height * first.width; ++k)
            for (int64_t c = 0; c < channels; ++c, ++x)
              ++own[static_cast<size_t>(c * bins + bin(*x * top / 255.0f))];
        });
        std::vector<int32_t> sums(static_cast<size_t>(channels * bins));
        for (const std::vector<int32_t>& own : counts)
          for (size_t k = 0; k < sums.size(); ++k) sums[k] += own[k];
        std::vector<std::vector<float>> tables;
        for (int64_t c = 0; c < channels; ++c)
          tables.push_back(table_of(sums.data() + c * bins, bins, 0, 255));
        for_each_picture(first, n, [&](int64_t i) {
          const auto* x = static_cast<const float*>(nth(first, i).data);
          auto* y = static_cast<float*>(nth(result, i).data);
          for (int64_t k = 0; k < first.height * first.width; ++k)
            for (int64_t c = 0; c < channels; ++c, ++x, ++y) {
              const std::vector<float>& table = tables[static_cast<size_t>(c)];
              *y = table.empty() ? *x : table[static_cast<size_t>(bin(*x / 255.0f * top))];
            }
        });
      },
      {&images, 1}, {&spec, 1}, fmt::format("equalize {}", bins))[0];
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
  // In other ranges the two might round values near an integer to different bins.
  if (config.value_range == byte_range && !images_channels_first() && by_pictures(all, {}))
    return equalized_on_host(all, config.bins);
  std::vector<Tensor> channels;
  for (const Tensor& plane : ops::split(all, all.shape(axis), axis)) {
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

void EqualizationLayer::augment(data::Sample& sample, data::Draws&) const {
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    equalize(from, to, config.value_range, config.bins);
  });
}

void register_equalization(Catalog& c) { c.add<EqualizationLayer>("keras.layers.Equalization"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::EqualizationLayer, cornu::layers::EqualizationConfig>;
