// Fewer levels of brightness.
#include "random_posterization.h"

#include <algorithm>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/bits.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {
namespace {

// The byte at a place, with the bits that are left in a multiple of `step`.
Expr kept_bits(const Expr& place, const Expr& step) {
  const Expr byte = expr::minimum(expr::select(place > 0.0, expr::floor(place), 0.0), 255.0);
  return expr::floor(byte / step) * step;
}

}  // namespace

RandomPosterizationLayer::RandomPosterizationLayer(RandomPosterizationConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  const Numbers given(std::vector<double>(config.factor->begin(), config.factor->end()));
  const std::vector<double> factor = settled_factor(given, 1, 8).values();
  config.factor = std::vector<int64_t>(factor.begin(), factor.end());
  config.value_range = settled_range(config.value_range);
}

Transformation RandomPosterizationLayer::get_random_transformation(const Nest& data, bool,
                                                                   SeedGenerator* seed) {
  const int64_t low = (*config.factor)[0], high = (*config.factor)[1];
  const Shape shape{batch_of(data)};
  // One number of bits for all needs no draw.
  const Tensor bits = low == high
                          ? ops::full(shape, low, DType::uint8)
                          : random::randint(shape, low, high, seed ? *seed : seeds_, DType::uint8);
  return {.values = {{"shift_factor", 8 - bits}}};
}

Tensor RandomPosterizationLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                                  bool training) {
  if (!training) return images;
  const Tensor shift = per_image(drawn["shift_factor"], images.rank());
  if (compute_dtype() == DType::float32) {
    // The steps below, in one program: a shift there and back is a multiple of its power of two.
    const double low = config.value_range[0], width = config.value_range[1] - low;
    const Tensor x = ops::cast(images, DType::float32),
                 step = ops::cast(ops::left_shift(ops::ones_like(shift), shift), DType::float32);
    if (config.value_range == byte_range)
      return fused([](Expr x, Expr step) { return kept_bits(x, step); }, x, step);
    return fused(
        [](Expr x, Expr step, Expr low, Expr width) {
          return kept_bits((x - low) / width * 255.0, step) / 255.0 * width + low;
        },
        x, step, Tensor(low), Tensor(width));
  }
  const Tensor bytes = ops::cast(
      transform_value_range(images, config.value_range, byte_range, compute_dtype()), DType::uint8);
  const Tensor kept = ops::left_shift(ops::right_shift(bytes, shift), shift);
  return transform_value_range(ops::cast(kept, compute_dtype()), byte_range, config.value_range,
                               compute_dtype());
}

void RandomPosterizationLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const int64_t least = (*config.factor)[0], most = (*config.factor)[1];
  const int64_t bits = least == most ? least : least + draws.below(most - least);
  const int mask = 256 - (1 << (8 - bits));
  const double low = config.value_range[0], per_byte = (config.value_range[1] - low) / 255;
  const auto kept = [&](double byte) {
    const int whole = static_cast<int>(std::clamp(byte, 0.0, 255.0)) & mask;
    return whole * per_byte + low;
  };
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    if (from.dtype == DType::uint8)
      return map_bytes(from, to, [&](double x) { return kept((x - low) / per_byte); });
    std::vector<float> table;
    for (int i = 0; i < 256; ++i) table.push_back(static_cast<float>(kept(i)));
    look_up(from, to, table, 256, static_cast<float>(1 / per_byte),
            static_cast<float>(-low / per_byte));
  });
}

void register_random_posterization(Catalog& c) {
  c.add<RandomPosterizationLayer>("keras.layers.RandomPosterization");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomPosterizationLayer,
                              cornu::layers::RandomPosterizationConfig>;
