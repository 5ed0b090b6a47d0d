// Pairs of images mixed.
#include "mix_up.h"

#include "../../backend/image_filter.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/distributions.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "sample_changes.h"

namespace cornu::layers {

MixUpLayer::MixUpLayer(MixUpConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {}

Transformation MixUpLayer::get_random_transformation(const Nest& data, bool, SeedGenerator* seed) {
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const int64_t n = batch_of(data);
  const Tensor order = random::permutation(n, seeds);
  return {.values = {{"mix_weight", random::beta({n}, config.alpha, config.alpha, seeds)},
                     {"permutation_order", order}}};
}

Tensor MixUpLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                    bool training) {
  if (!training) return images;
  const Tensor x = ops::cast(images, compute_dtype());
  if (by_pictures(x, {drawn["mix_weight"], drawn["permutation_order"]}))
    return each_picture(x, {drawn["mix_weight"], drawn["permutation_order"]},
                        images_channels_first(), "mix up",
                        [](const Picture& from, const Picture& to, const auto& draws) {
                          blend(from, draws[0], draws.other(draws.whole(1)), 1 - draws[0], to);
                        });
  const Tensor weight = ops::cast(per_image(drawn["mix_weight"]), x.dtype());
  return weight * x + (1.0 - weight) * ops::take(x, drawn["permutation_order"], 0);
}

Tensor MixUpLayer::transform_labels(const Tensor& labels, const Transformation& drawn,
                                    bool training) {
  if (!training) return labels;
  const Tensor weight = ops::reshape(drawn["mix_weight"], {-1, 1});
  return weight * labels + (1.0 - weight) * ops::take(labels, drawn["permutation_order"], 0);
}

Nest MixUpLayer::transform_bounding_boxes(const Nest& boxes, const Transformation& drawn,
                                          bool training) {
  if (!training) return boxes;
  const auto with_other = [&](const Tensor& x, int64_t axis) {
    return ops::concatenate({x, ops::take(x, drawn["permutation_order"], 0)}, axis);
  };
  return Nest::dict(
      {{"boxes", with_other(boxes["boxes"], 1)}, {"labels", with_other(boxes["labels"], 0)}});
}

Tensor MixUpLayer::transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                                bool training) {
  if (!training) return masks;
  const Tensor weight = per_image(drawn["mix_weight"]);
  return weight * masks + (1.0 - weight) * ops::take(masks, drawn["permutation_order"]);
}

void MixUpLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const data::Sample other = other_like(sample, draws);
  blend_samples(sample, other, draws.beta(config.alpha, config.alpha));
}

void register_mix_up(Catalog& c) { c.add<MixUpLayer>("keras.layers.MixUp"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::MixUpLayer, cornu::layers::MixUpConfig>;
