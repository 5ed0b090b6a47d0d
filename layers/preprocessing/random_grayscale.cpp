// Some images without colours.
#include "random_grayscale.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image.h"
#include "augmentation.h"

namespace cornu::layers {

RandomGrayscaleLayer::RandomGrayscaleLayer(RandomGrayscaleConfig c)
    : LayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  if (!(config.factor >= 0 && config.factor <= 1))
    throw ValueError("factor: expected a number in [0, 1], found " + std::to_string(config.factor) +
                     ".");
  channels_first(config.data_format);
}

std::shared_ptr<RandomGrayscaleLayer> RandomGrayscaleLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor RandomGrayscaleLayer::call(const Tensor& x, const Call& call) {
  if (!augments(call)) return x;
  const Tensor chosen = ops::less(draw_per_image(x, 0, 1, seeds_), config.factor);
  return ops::where(chosen, ops::rgb_to_grayscale(x, config.data_format), x);
}

void register_random_grayscale(Catalog& c) {
  c.add<RandomGrayscaleLayer>("keras.layers.RandomGrayscale");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomGrayscaleLayer,
                              cornu::layers::RandomGrayscaleConfig>;
