// Images mirrored.
#include "random_flip.h"

#include <algorithm>

#include "../../framework/ops/core.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/shaping.h"
#include "augmentation.h"

namespace cornu::layers {

RandomFlipLayer::RandomFlipLayer(RandomFlipConfig c)
    : LayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  const std::vector<std::string> known = {"horizontal", "vertical", "horizontal_and_vertical"};
  if (std::find(known.begin(), known.end(), config.mode) == known.end())
    throw ValueError("mode: '" + config.mode + "' is not known." +
                     did_you_mean(config.mode, known));
  channels_first(config.data_format);
}

std::shared_ptr<RandomFlipLayer> RandomFlipLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor RandomFlipLayer::call(const Tensor& given, const Call& call) {
  Tensor x = ops::cast(given, compute_dtype());
  if (!augments(call)) return x;
  const Tensor chosen = ops::less_equal(draw_per_image(x, 0, 1, seeds_), 0.5);
  const int rows = channels_first(config.data_format) ? -2 : -3;
  if (config.mode != "vertical") x = ops::where(chosen, ops::flip(x, rows + 1), x);
  if (config.mode != "horizontal") x = ops::where(chosen, ops::flip(x, rows), x);
  return x;
}

void register_random_flip(Catalog& c) { c.add<RandomFlipLayer>("keras.layers.RandomFlip"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomFlipLayer, cornu::layers::RandomFlipConfig>;
