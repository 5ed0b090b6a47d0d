// Random layers, one after the other.
#include "rand_augment.h"

#include <functional>

#include "../../framework/compile/control_flow.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/reduction.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"

namespace cornu::layers {

RandAugmentLayer::RandAugmentLayer(RandAugmentConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
  check_range(config.value_range);
  if (config.num_ops < 0)
    throw ValueError("num_ops: expected 0 or more, found " + std::to_string(config.num_ops) + ".");
  augmentations_ = make_augmentations(
      {"random_shear", "random_translation", "random_rotation", "random_brightness",
       "random_color_degeneration", "random_contrast", "random_sharpness", "random_posterization",
       "solarization", "auto_contrast", "equalization"},
      {config.value_range, config.factor, config.interpolation, config.seed, config.data_format,
       config.bounding_box_format, dtype_policy()});
  for (const Augmentation& a : augmentations_) track(a.name, a.layer);
}

Transformation RandAugmentLayer::get_random_transformation(const Nest& data, bool training,
                                                           SeedGenerator* seed) {
  if (!training) return {};
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const auto count = static_cast<int64_t>(augmentations_.size());
  Transformation drawn{
      .values = {{"layer_idxes", random::randint({config.num_ops}, 0, count, seeds)}},
      .input_shape = images_of(data).shape()};
  for (const Augmentation& a : augmentations_)
    drawn.parts.emplace_back(a.name, a.images->get_random_transformation(data, training, &seeds));
  return drawn;
}

Tensor RandAugmentLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                          bool training) {
  Tensor x = ops::cast(images, compute_dtype());
  if (!training) return x;
  std::vector<std::function<Nest(const Nest&)>> branches;
  for (const Augmentation& a : augmentations_)
    branches.push_back([&](const Nest& x) -> Nest {
      return a.images->transform_images(x.tensor(), drawn.part(a.name));
    });
  for (int64_t i = 0; i < config.num_ops; ++i)
    x = ops::switch_case(drawn["layer_idxes"][i], branches, x).tensor();
  return ops::cast(x, compute_dtype());
}

Nest RandAugmentLayer::transform_bounding_boxes(const Nest& boxes, const Transformation& drawn,
                                                bool training) {
  if (!training) return boxes;
  Nest result = boxes;
  for (size_t k = 0; k < augmentations_.size(); ++k) {
    const Augmentation& a = augmentations_[k];
    const Nest moved = a.images->transform_bounding_boxes(result, drawn.part(a.name));
    const Tensor chosen = ops::any(ops::equal(drawn["layer_idxes"], static_cast<int64_t>(k)));
    for (const char* key : {"boxes", "labels"})
      result =
          with_entry(result, key, ops::where(chosen, moved[key].tensor(), result[key].tensor()));
  }
  return result;
}

Tensor RandAugmentLayer::transform_segmentation_masks(const Tensor& masks,
                                                      const Transformation& drawn, bool training) {
  if (!training) return masks;
  Tensor result = masks;
  for (int64_t i = 0; i < config.num_ops; ++i)
    for (size_t k = 0; k < augmentations_.size(); ++k) {
      const Augmentation& a = augmentations_[k];
      const Tensor moved = a.images->transform_segmentation_masks(result, drawn.part(a.name));
      const Tensor chosen = ops::equal(drawn["layer_idxes"][i], static_cast<int64_t>(k));
      result = ops::where(chosen, moved, result);
    }
  return result;
}

void RandAugmentLayer::augment(data::Sample& sample, data::Draws& draws) const {
  for (int64_t i = 0; i < config.num_ops; ++i)
    augmentations_[static_cast<size_t>(draws.below(static_cast<int64_t>(augmentations_.size())))]
        .images->augment(sample, draws);
}

void register_rand_augment(Catalog& c) { c.add<RandAugmentLayer>("keras.layers.RandAugment"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandAugmentLayer, cornu::layers::RandAugmentConfig>;
