// Rectangles painted over.
#include "random_erasing.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "../../backend/image_colors.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/numpy/arithmetic.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/indexing.h"
#include "../../framework/ops/numpy/joining.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "batch_pictures.h"
#include "geometry.h"
#include "rectangles.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomErasingLayer::RandomErasingLayer(RandomErasingConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = as_numbers(factor_bounds(config.factor, "factor", 0, 1));
  config.scale = as_numbers(factor_bounds(config.scale, "scale", 0, 1));
  if (config.value_range.size() != 2)
    throw ValueError(
        fmt::format("value_range: expected two numbers, found {}.", config.value_range.size()));
  if (config.fill_value && !config.fill_value->is_single() &&
      config.fill_value->values().size() != 3)
    throw ValueError(fmt::format("fill_value: expected one number or three, found {}.",
                                 config.fill_value->values().size()));
}

Transformation RandomErasingLayer::get_random_transformation(const Nest& data, bool training,
                                                             SeedGenerator* given) {
  if (!training) return {};
  SeedGenerator& seeds = given ? *given : seeds_;
  const Shape& shape = images_of(data).shape();
  const ImageSize size = size_of(shape, images_channels_first());
  const int64_t n = batch_of(data);
  const DType dtype = images_dtype();
  const std::vector<double>& scale = config.scale.values();
  const auto shares =
      ops::split(ops::sqrt(random::uniform({n, 2}, scale[0], scale[1], seeds, dtype)), 2, 1);
  const Stretch across = drawn_stretch(ops::reshape(shares[0], {n}), size.width, seeds),
                down = drawn_stretch(ops::reshape(shares[1], {n}), size.height, seeds);
  const Tensor masks = inside_rectangles(across, down, size, 1, images_channels_first());
  const std::vector<double>& factor = config.factor.values();
  const Tensor probability = random::uniform({n}, factor[0], factor[1], seeds);
  const Tensor threshold = random::uniform({n}, 0, 1, seeds);
  const Tensor chosen = ops::less(threshold, probability);
  return {.values = {{"apply_erasing", chosen},
                     {"batch_masks", masks},
                     {"fill_value", paint(images_of(data), masks, chosen, seeds)}},
          .input_shape = shape};
}

namespace {

// Normal noise for the pixels that are erased, with the numbers that a draw for all of them has
// there; 0 elsewhere.
Tensor noise_inside(const Tensor& images, const Tensor& masks, const Tensor& chosen,
                    const Tensor& key, float low, float high, bool channels_first) {
  return each_picture(
      images, {key, masks, chosen}, channels_first, fmt::format("noise inside {} {}", low, high),
      [low, high](const Picture&, const Picture& to, const auto& draws) {
        const auto* words = draws.all()[0].template mutable_data<uint32_t>();
        if (draws.is(2))
          draw_where(draws.picture(1), {words[0], words[1]},
                     static_cast<uint64_t>(draws.first_value()), high, low, high, to);
        else
          std::memset(to.data, 0, to.row_bytes() * static_cast<size_t>(to.height));
      },
      {}, DType::float32);
}

}  // namespace

Tensor RandomErasingLayer::paint(const Tensor& given, const Tensor& masks, const Tensor& chosen,
                                 SeedGenerator& seeds) const {
  const Shape& images = given.shape();
  const DType dtype = images_dtype();
  Tensor color;
  if (!config.fill_value) {
    const Seed seed(seeds);
    if (dtype == DType::float32 && may_move_pictures(given, {masks, chosen, seed.key()}))
      return noise_inside(given, masks, chosen, seed.key(),
                          static_cast<float>(config.value_range[0]),
                          static_cast<float>(config.value_range[1]), images_channels_first());
    color = random::normal(images, 0, 1, seed, dtype) * config.value_range[1];
  } else if (config.fill_value->is_single()) {
    color = ops::full({}, config.fill_value->values()[0], dtype);
  } else {
    const int64_t channels = images.at(channel_axis());
    if (channels != 3)
      throw ShapeError(
          fmt::format("fill_value: three numbers for images of shape {}: expected 3 "
                      "channels.",
                      images.str()));
    color = ops::cast(Tensor(config.fill_value->values()), dtype);
    if (images_channels_first()) color = ops::reshape(color, {3, 1, 1});
  }
  return ops::clip(color, config.value_range[0], config.value_range[1]);
}

Tensor RandomErasingLayer::transform_images(const Tensor& images, const Transformation& drawn,
                                            bool training) {
  const DType dtype = images_dtype();
  if (!training || drawn.empty()) return ops::cast(images, dtype);
  const Tensor &masks = drawn["batch_masks"], &chosen = drawn["apply_erasing"];
  const Tensor fill = ops::cast(drawn["fill_value"], dtype);
  if (may_move_pictures(images, {masks, chosen, fill}) && chosen.dtype() == DType::boolean &&
      is_mask_of(masks, images, images_channels_first())) {
    const int64_t channels = images.shape(channel_axis()), width = images.shape(width_axis());
    // A color is the same in all rows.
    const bool even =
        fill.rank() <= 1 || (images_channels_first() && fill.shape() == Shape{channels, 1, 1});
    const Shape row =
        images_channels_first() ? Shape{1, channels, 1, width} : Shape{1, 1, width, channels};
    return each_picture(
        pasteable(images, dtype),
        {masks, chosen, ops::broadcast_to(fill, even ? row : images.shape())},
        images_channels_first(), "erase",
        [](const Picture& from, const Picture& to, const auto& draws) {
          if (draws.is(1))
            paste_where(draws.picture(0), draws.picture(2), from, to);
          else
            copy_pixels(from, to);
        },
        {}, dtype);
  }
  const Tensor erased = ops::logical_and(masks, ops::expand_dims(chosen, {1, 2, 3}));
  return ops::cast(ops::where(erased, fill, ops::cast(images, dtype)), dtype);
}

Tensor RandomErasingLayer::transform_segmentation_masks(const Tensor& masks, const Transformation&,
                                                        bool) {
  return masks;
}

void RandomErasingLayer::augment(data::Sample& sample, data::Draws& draws) const {
  if (!happens(config.factor, draws)) return;
  const double across = std::sqrt(drawn(config.scale, draws)),
               down = std::sqrt(drawn(config.scale, draws));
  const Area area = drawn_area(height_of(sample), width_of(sample), std::min(down, 1.0),
                               std::min(across, 1.0), draws);
  if (config.fill_value && !config.fill_value->is_single()) check_colors(sample);
  data::recolor(sample, [&](const Picture& from, const Picture& to) {
    std::memcpy(to.data, from.data, from.row_bytes() * static_cast<size_t>(from.height));
    const Tensor paint = data::empty_like(sample.image, area.height, area.width);
    const Picture painted = data::picture_of(paint, "paint");
    const auto c = static_cast<size_t>(from.channels);
    const std::vector<float> none(c, 0);
    std::vector<float> color(c, 0);
    if (config.fill_value)
      for (size_t i = 0; i < c; ++i)
        color[i] =
            static_cast<float>(config.fill_value->values()[config.fill_value->is_single() ? 0 : i]);
    std::memset(painted.data, 0, paint.bytes());
    const auto low = static_cast<float>(config.value_range[0]),
               high = static_cast<float>(config.value_range[1]);
    if (config.fill_value)
      scale(painted, painted, none, color, low, high);
    else
      add_noise(painted, painted, draws.key(), 0, high, false, low, high);
    paste(painted, to, area.top, area.left);
  });
  hide_points(sample, area);
}

void register_random_erasing(Catalog& c) {
  c.add<RandomErasingLayer>("keras.layers.RandomErasing");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomErasingLayer,
                              cornu::layers::RandomErasingConfig>;
