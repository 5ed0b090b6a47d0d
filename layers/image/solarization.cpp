// Bright parts inverted.
#include "solarization.h"

#include <algorithm>

#include <fmt/core.h>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

namespace {

// Of one number f the numbers from 0 to f.
Numbers settled(const Numbers& factor, const char* option) {
  for (double f : factor.values())
    if (!(f >= 0 && f <= 1))
      throw ValueError(
          fmt::format("{}: expected one number or two in [0, 1], found {}.", option, f));
  return settled_factor(factor, 0, 1, option);
}

}  // namespace

SolarizationLayer::SolarizationLayer(SolarizationConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.addition_factor = settled(config.addition_factor, "addition_factor");
  config.threshold_factor = settled(config.threshold_factor, "threshold_factor");
  config.value_range = settled_range(config.value_range);
}

Transformation SolarizationLayer::get_random_transformation(const Nest& data, bool training,
                                                            SeedGenerator* seed) {
  if (!training) return {};
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const auto draw = [&](const Numbers& factor) {
    return per_image(draw_for_images(data, factor.values()[0], factor.values()[1] * 255, seeds,
                                     compute_dtype()));
  };
  const Tensor additions = draw(config.addition_factor);
  return {.values = {{"additions", additions}, {"thresholds", draw(config.threshold_factor)}}};
}

Tensor SolarizationLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                           bool training) {
  const Tensor x = ops::cast(images, compute_dtype());
  if (!training || drawn.empty()) return x;
  if (compute_dtype() == DType::float32 && config.value_range != byte_range) {
    // The steps below, in one program.
    const double low = config.value_range[0], width = config.value_range[1] - low;
    return fused(
        [](Expr x, Expr addition, Expr threshold, Expr low, Expr width) {
          const Expr byte = (x - low) / width * 255.0;
          const Expr brighter = expr::minimum(expr::maximum(byte + addition, 0.0), 255.0);
          const Expr y = expr::select(brighter < threshold, brighter, 255.0 - brighter);
          return y / 255.0 * width + low;
        },
        x, drawn["additions"], drawn["thresholds"], Tensor(low), Tensor(width));
  }
  const Tensor bytes = transform_value_range(x, config.value_range, byte_range, compute_dtype());
  const Tensor y = fused(
      [](Expr x, Expr addition, Expr threshold) {
        const Expr brighter = expr::minimum(expr::maximum(x + addition, 0.0), 255.0);
        return expr::select(brighter < threshold, brighter, 255.0 - brighter);
      },
      bytes, drawn["additions"], drawn["thresholds"]);
  return transform_value_range(y, byte_range, config.value_range, compute_dtype());
}

void SolarizationLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const auto draw = [&](const Numbers& factor) {
    return draws.uniform(factor.values()[0], factor.values()[1] * 255);
  };
  const double addition = draw(config.addition_factor), threshold = draw(config.threshold_factor);
  const double low = config.value_range[0], per_byte = (config.value_range[1] - low) / 255;
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    if (from.dtype == DType::uint8)
      return map_bytes(from, to, [&](double x) {
        const double y = std::clamp((x - low) / per_byte + addition, 0.0, 255.0);
        return (y < threshold ? y : 255 - y) * per_byte + low;
      });
    solarize(from, to, static_cast<float>(addition), static_cast<float>(threshold),
             static_cast<float>(1 / per_byte), static_cast<float>(-low / per_byte));
  });
}

void register_solarization(Catalog& c) { c.add<SolarizationLayer>("keras.layers.Solarization"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::SolarizationLayer, cornu::layers::SolarizationConfig>;
