// Boxes of other images.
#include "cut_mix.h"

#include <cmath>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/distributions.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "colors.h"
#include "rectangles.h"
#include "sample_changes.h"

namespace cornu::layers {

CutMixLayer::CutMixLayer(CutMixConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = settled_factor(config.factor, 0, 1);
}

Transformation CutMixLayer::get_random_transformation(const Nest& data, bool training,
                                                      SeedGenerator* seed) {
  const Tensor& images = images_of(data);
  if (!training || images.rank() == 3) return {};
  SeedGenerator& seeds = seed ? *seed : seeds_;
  const DType dtype = compute_dtype();
  const int64_t n = images.shape()[0], height = images.shape(height_axis()),
                width = images.shape(width_axis());
  const auto& factor = config.factor.values();
  const Tensor alpha = random::uniform({}, factor[0], factor[1], seeds, dtype) + 1e-6;
  const Tensor weight = random::beta({n}, alpha, alpha, seeds, dtype);
  const Tensor ratio = ops::sqrt(1.0 - weight);
  const Stretch across = drawn_stretch(ratio, width, seeds),
                down = drawn_stretch(ratio, height, seeds);
  const Tensor area = (across.end - across.begin) * (down.end - down.begin);
  const Tensor kept = per_image(1.0 - area / static_cast<double>(width * height));
  return {.values = {{"permutation_order", random::permutation(n, seeds)},
                     {"batch_masks",
                      inside_rectangles(across, down, {height, width}, images.shape(channel_axis()),
                                        images_channels_first())},
                     {"mix_weight", kept}}};
}

Tensor CutMixLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                     bool training) {
  const DType dtype = compute_dtype();
  if (!training || drawn.empty()) return ops::cast(images, dtype);
  const Tensor &masks = drawn["batch_masks"], &order = drawn["permutation_order"];
  Shape shape = images.shape();
  // Segmentation masks of one channel get those of the images.
  if (shape.at(channel_axis()) == 1) shape[4 + channel_axis()] = masks.shape(channel_axis());
  if (may_move_pictures(images, {masks, order}) && masks.shape() == shape &&
      masks.dtype() == DType::boolean && order.dtype() == DType::int32 && order.size() == shape[0])
    return each_picture(
        pasteable(shape == images.shape() ? images : ops::broadcast_to(images, shape), dtype),
        {masks, order}, images_channels_first(), "cut mix",
        [](const Picture& from, const Picture& to, const auto& draws) {
          paste_where(draws.picture(0), draws.other(draws.whole(1)), from, to);
        },
        {}, dtype);
  const Tensor x = ops::cast(images, dtype);
  return ops::where(masks, ops::take(x, order, 0), x);
}

Tensor CutMixLayer::transform_labels(const Tensor& labels, const Transformation& drawn,
                                     bool training) {
  if (!training || drawn.empty()) return labels;
  const Tensor weight = ops::reshape(drawn["mix_weight"], {-1, 1});
  return weight * labels + (1.0 - weight) * ops::take(labels, drawn["permutation_order"], 0);
}

Nest CutMixLayer::transform_bounding_boxes(const Nest&, const Transformation&, bool) {
  throw UnsupportedError(
      "boxes of pasted images cannot be told from their "
      "neighbors': leave 'bounding_boxes' out of "
      "the input.");
}

Tensor CutMixLayer::transform_segmentation_masks(const Tensor& masks, const Transformation& drawn,
                                                 bool training) {
  return transform_images(masks, drawn, training);
}

void CutMixLayer::augment(data::Sample& sample, data::Draws& draws) const {
  data::Sample other = other_like(sample, draws);
  const double alpha = drawn(config.factor, draws) + 1e-6;
  const double ratio = std::sqrt(1 - draws.beta(alpha, alpha));
  const int64_t height = height_of(sample), width = width_of(sample);
  const Area area = drawn_area(height, width, ratio, ratio, draws);
  const double kept =
      1 - static_cast<double>(area.height * area.width) / static_cast<double>(height * width);
  const Tensor label = mixed_label(sample.label, other.label, kept);
  keep_area(other, area);
  data::Sample result = sample;
  cover_area(result, area);
  put_area(result, other, area);
  result.label = label;
  sample = std::move(result);
}

void register_cut_mix(Catalog& c) { c.add<CutMixLayer>("keras.layers.CutMix"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::CutMixLayer, cornu::layers::CutMixConfig>;
