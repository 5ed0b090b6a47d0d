// Blurred and sharpened images.
#include "random_sharpness.h"

#include <fmt/core.h>

#include "../../backend/image_filter.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/nn/convolution.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {
namespace {

// x + (1 - 2 * factor) * (blurred - x) in one filter, cut to the range.
void sharpen(const Picture& from, const Picture& to, double factor,
             const std::vector<double>& value_range) {
  const double share = 1 - 2 * factor;
  std::vector<backend::image::Tap> taps;
  for (int64_t y = -1; y <= 1; ++y)
    for (int64_t x = -1; x <= 1; ++x) {
      const bool middle = x == 0 && y == 0;
      taps.push_back(
          {y, x, static_cast<float>((middle ? 1 - share : 0) + share * (middle ? 5 : 1) / 13)});
    }
  filter(from, to, taps, backend::image::Fill::constant);
  cut_to_range(to, value_range);
}

}  // namespace

RandomSharpnessLayer::RandomSharpnessLayer(RandomSharpnessConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
  config.value_range = settled_range(config.value_range);
}

Transformation RandomSharpnessLayer::get_random_transformation(const Nest& data, bool,
                                                               SeedGenerator* seed) {
  const auto& factor = config.factor->values();
  return {
      .values = {{"factor", draw_for_images(data, factor[0], factor[1], seed ? *seed : seeds_)}}};
}

Tensor RandomSharpnessLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                              bool training) {
  const Tensor x = ops::cast(images, compute_dtype());
  if (!training) return x;
  if (by_pictures(x, {drawn["factor"]}))
    return each_picture(
        x, {drawn["factor"]}, images_channels_first(),
        fmt::format("sharpness {} {}", config.value_range[0], config.value_range[1]),
        [range = config.value_range](const Picture& from, const Picture& to, const auto& draws) {
          sharpen(from, to, static_cast<double>(draws[0]), range);
        });
  const int64_t channels = x.shape(channel_axis());
  std::vector<float> kernel(static_cast<size_t>(9 * channels), 1.0f / 13.0f);
  for (int64_t c = 0; c < channels; ++c)
    kernel[static_cast<size_t>(4 * channels + c)] = 5.0f / 13.0f;
  const Tensor blurred =
      ops::depthwise_conv(x, ops::cast(Tensor::from(kernel, {3, 3, channels, 1}), x.dtype()), {1},
                          "same", config.data_format);
  const Tensor factor = per_image(ops::cast(drawn["factor"] * 2.0, x.dtype()));
  const Tensor y = fused([](Expr x, Expr blurred, Expr f) { return x + (1.0 - f) * (blurred - x); },
                         x, blurred, factor);
  return ops::clip(y, config.value_range[0], config.value_range[1]);
}

void RandomSharpnessLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const double factor = drawn(*config.factor, draws);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    sharpen(from, to, factor, config.value_range);
  });
}

void register_random_sharpness(Catalog& c) {
  c.add<RandomSharpnessLayer>("keras.layers.RandomSharpness");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomSharpnessLayer,
                              cornu::layers::RandomSharpnessConfig>;
