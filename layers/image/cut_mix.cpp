// Boxes of other images.
#include "cut_mix.h"

#include <cmath>

#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/distributions.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "colors.h"
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
  const auto draw_bounds = [&](int64_t length) {
    const Tensor size = ratio * static_cast<double>(length);
    const Tensor start =
        random::uniform({n}, 0, 1, seeds, dtype) * (static_cast<double>(length) - size);
    return std::pair(per_image(start), per_image(start + size));
  };
  const auto [x0, x1] = draw_bounds(width);
  const auto [y0, y1] = draw_bounds(height);
  const auto places = [&](int64_t length, int axis) {
    Shape shape{1, 1, 1, 1};
    shape[4 + axis] = length;
    return ops::reshape(ops::arange(0, length, 1, dtype), shape);
  };
  const Tensor x = places(width, width_axis()), y = places(height, height_axis());
  const Tensor inside =
      ops::logical_and(ops::logical_and(ops::greater_equal(x, x0), ops::less(x, x1)),
                       ops::logical_and(ops::greater_equal(y, y0), ops::less(y, y1)));
  const Tensor kept = 1.0 - (x1 - x0) * (y1 - y0) / static_cast<double>(width * height);
  return {.values = {{"permutation_order", random::permutation(n, seeds)},
                     {"batch_masks", ops::broadcast_to(inside, images.shape())},
                     {"mix_weight", kept}}};
}

Tensor CutMixLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                     bool training) {
  const Tensor x = ops::cast(images, compute_dtype());
  if (!training || drawn.empty()) return x;
  return ops::where(drawn["batch_masks"], ops::take(x, drawn["permutation_order"], 0), x);
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
