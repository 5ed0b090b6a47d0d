// More and less contrast.
#include "random_contrast.h"

#include "../../framework/ops/core.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/reduction.h"
#include "augmentation.h"

namespace cornu::layers {

RandomContrastLayer::RandomContrastLayer(RandomContrastConfig c)
    : LayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  if (config.factor->size() == 1) config.factor.value.push_back(config.factor->front());
  factor_range(*config.factor, 0, 1);
  checked_range(config.value_range);
  channels_first(config.data_format);
}

std::shared_ptr<RandomContrastLayer> RandomContrastLayer::from_config(const Value::Dict& dict) {
  return LayerOf::from_config(
      without_nulls(without_unused(dict, {"bounding_box_format"}), {"data_format"}));
}

Tensor RandomContrastLayer::call(const Tensor& given, const Call& call) {
  const Tensor x = ops::cast(given, compute_dtype());
  if (!augments(call)) return x;
  const Tensor factor = draw_per_image(x, 1 - (*config.factor)[0], 1 + (*config.factor)[1], seeds_);
  const int rows = channels_first(config.data_format) ? -2 : -3;
  const Tensor mean = ops::mean(x, std::vector<int64_t>{rows, rows + 1}, true);
  const Tensor y = fused([](Expr x, Expr mean, Expr f) { return (x - mean) * f + mean; }, x, mean,
                         ops::cast(factor, x.dtype()));
  return ops::clip(y, config.value_range[0], config.value_range[1]);
}

void register_random_contrast(Catalog& c) {
  c.add<RandomContrastLayer>("keras.layers.RandomContrast");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomContrastLayer,
                              cornu::layers::RandomContrastConfig>;
