// Negatives of images.
#include "random_invert.h"

#include <limits>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomInvertLayer::RandomInvertLayer(RandomInvertConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
  check_range(config.value_range);
}

Transformation RandomInvertLayer::get_random_transformation(const Nest& data, bool training,
                                                            SeedGenerator* seed) {
  if (!training) return {};
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const auto& factor = config.factor.values();
  const Tensor probability = draw_for_images(data, factor[0], factor[1], seeds);
  const Tensor threshold = draw_for_images(data, 0, 1, seeds);
  return {.values = {{"apply_inversion", ops::less(threshold, probability)}}};
}

Tensor RandomInvertLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                           bool training) {
  if (!training) return images;
  const Tensor x = ops::cast(images, compute_dtype());
  const Tensor chosen = per_image(drawn["apply_inversion"]);
  if (x.dtype() == DType::float32)
    return fused(
        [](Expr x, Expr chosen, Expr white) { return expr::select(chosen > 0.0, white - x, x); }, x,
        ops::cast(chosen, DType::float32), Tensor(config.value_range[1]));
  return ops::where(chosen, ops::cast(config.value_range[1] - x, x.dtype()), x);
}

void RandomInvertLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> factors(static_cast<size_t>(from.channels), -1),
        offsets(factors.size(), static_cast<float>(config.value_range[1]));
    scale(from, to, factors, offsets, -infinity, infinity);
  });
}

void register_random_invert(Catalog& c) { c.add<RandomInvertLayer>("keras.layers.RandomInvert"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomInvertLayer, cornu::layers::RandomInvertConfig>;
