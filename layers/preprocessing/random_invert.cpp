// Negatives of images.
#include "random_invert.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/operators.h"
#include "augmentation.h"

namespace cornu::layers {

RandomInvertLayer::RandomInvertLayer(RandomInvertConfig c)
    : LayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  const auto [low, high] = factor_range(config.factor, 0, 1);
  config.factor = {low, high};
  if (config.value_range.size() != 2) checked_range(config.value_range);
}

std::shared_ptr<RandomInvertLayer> RandomInvertLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor RandomInvertLayer::call(const Tensor& given, const Call& call) {
  const Tensor x = ops::cast(given, compute_dtype());
  if (!augments(call)) return x;
  const Tensor probability = draw_per_image(x, config.factor[0], config.factor[1], seeds_);
  const Tensor chosen = ops::less(draw_per_image(x, 0, 1, seeds_), probability);
  return ops::where(chosen, config.value_range[1] - x, x);
}

void register_random_invert(Catalog& c) { c.add<RandomInvertLayer>("keras.layers.RandomInvert"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomInvertLayer, cornu::layers::RandomInvertConfig>;
