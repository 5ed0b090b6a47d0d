// Brighter and darker images.
#include "random_brightness.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/operators.h"
#include "augmentation.h"

namespace cornu::layers {

RandomBrightnessLayer::RandomBrightnessLayer(RandomBrightnessConfig c)
    : LayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = [&] {
    const auto [low, high] = factor_range(*config.factor, -1, 1);
    return std::vector<double>{low, high};
  }();
  const auto [low, high] = checked_range(config.value_range);
  config.value_range = {low, high};
}

std::shared_ptr<RandomBrightnessLayer> RandomBrightnessLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor RandomBrightnessLayer::call(const Tensor& given, const Call& call) {
  const Tensor x = ops::cast(given, compute_dtype());
  if (!augments(call)) return x;
  const double low = config.value_range[0], high = config.value_range[1];
  const Tensor share = draw_per_image(x, (*config.factor)[0], (*config.factor)[1], seeds_);
  return ops::clip(x + ops::cast(share * (high - low), x.dtype()), low, high);
}

void register_random_brightness(Catalog& c) {
  c.add<RandomBrightnessLayer>("keras.layers.RandomBrightness");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomBrightnessLayer,
                              cornu::layers::RandomBrightnessConfig>;
