// Images mirrored.
#include "random_flip.h"

#include <fmt/core.h>

#include <algorithm>

#include "../../framework/dispatch/custom_gradient.h"
#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "sample_changes.h"

namespace cornu::layers {
namespace {

// The chosen images mirrored, in one pass; its derivative mirrors them again.
Tensor mirrored(const Tensor& images, const Tensor& chosen, bool left_right, bool up_down,
                bool channels_first) {
  const auto forward = [=](const Tensor& x) {
    return each_picture(x, {chosen}, channels_first, fmt::format("flip {} {}", left_right, up_down),
                        [=](const Picture& from, const Picture& to, const auto& draws) {
                          mirror(from, to, left_right && draws.is(0), up_down && draws.is(0));
                        });
  };
  if (!is_float(images.dtype())) return forward(images);
  return custom_gradient(images, [&](const Tensor& x) {
    const std::function<Tensor(const Tensor&)> back = [=](const Tensor& dy) {
      return mirrored(dy, chosen, left_right, up_down, channels_first);
    };
    return std::pair{forward(x), back};
  });
}

}  // namespace

RandomFlipLayer::RandomFlipLayer(RandomFlipConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  autocast_ = false;
  const std::vector<std::string> known = {"horizontal", "vertical", "horizontal_and_vertical"};
  if (std::find(known.begin(), known.end(), config.mode) == known.end())
    throw ValueError("mode: '" + config.mode + "' is not known." +
                     did_you_mean(config.mode, known));
}

Transformation RandomFlipLayer::get_random_transformation(const Nest& data, bool training,
                                                          SeedGenerator* seed) {
  if (!training) return {};
  const Shape& shape = images_of(data).shape();
  const Shape flips = shape.rank() == 3 ? Shape{1, 1, 1} : Shape{shape[0], 1, 1, 1};
  const Tensor draw = random::uniform(flips, 0, 1, seed ? *seed : seeds_);
  return {.values = {{"flips", ops::less_equal(draw, 0.5)}}, .input_shape = shape};
}

Tensor RandomFlipLayer::transform_pixels(const Tensor& images, const Transformation& drawn,
                                         const std::string&) {
  if (drawn.empty()) return images;
  const Tensor& flips = drawn["flips"];
  const auto on_host = [](const Tensor& t) {
    return t.is_eager() && t.device().is_cpu() && t.size() > 0;
  };
  if (images.rank() == 4 && on_host(images) && on_host(flips) && flips.dtype() == DType::boolean)
    return mirrored(images, flips, horizontal(), vertical(), images_channels_first());
  Tensor x = images;
  if (horizontal()) x = ops::where(flips, ops::flip(x, width_axis()), x);
  if (vertical()) x = ops::where(flips, ops::flip(x, height_axis()), x);
  return x;
}

Nest RandomFlipLayer::transform_bounding_boxes(const Nest& given, const Transformation& drawn,
                                               bool training) {
  if (!training) return given;
  const Tensor height(drawn.input_shape.at(height_axis())),
      width(drawn.input_shape.at(width_axis()));
  Nest boxes = ops::convert_boxes(given, *boxes_format(), "rel_xyxy", height, width);
  const Tensor flips = ops::squeeze(drawn["flips"], -1);
  Tensor sides = boxes["boxes"].tensor();
  const auto mirrored = [&](size_t low) {
    auto p = ops::split(sides, 4, -1);
    const Tensor first = 1.0 - p[low + 2], last = 1.0 - p[low];
    p[low] = first;
    p[low + 2] = last;
    return ops::where(flips, ops::concatenate(p, -1), sides);
  };
  if (horizontal()) sides = mirrored(0);
  if (vertical()) sides = mirrored(1);
  boxes = ops::clip_to_image_size(with_entry(boxes, "boxes", sides), height, width);
  return ops::convert_boxes(boxes, "rel_xyxy", *boxes_format(), height, width);
}

Tensor RandomFlipLayer::transform_segmentation_masks(const Tensor& masks,
                                                     const Transformation& drawn, bool training) {
  return transform_images(masks, drawn, training);
}

void RandomFlipLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!draws.happens(0.5)) return;
  data::apply(sample, data::mirrored(height_of(sample), width_of(sample), horizontal(), vertical()),
              draws);
}

void register_random_flip(Catalog& c) { c.add<RandomFlipLayer>("keras.layers.RandomFlip"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomFlipLayer, cornu::layers::RandomFlipConfig>;
