// Rectangles painted over.
#include "random_erasing.h"

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
#include "geometry.h"
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
  // Which places of an axis are inside, (n, 1, side, 1), (n, side, 1, 1) or their like with
  // channels first.
  const auto inside = [&](const Tensor& share, int64_t side, int axis) {
    const Tensor length = ops::reshape(share, {n}) * static_cast<double>(side);
    const Tensor start =
        random::uniform({n}, 0, 1, seeds, dtype) * (static_cast<double>(side) - length);
    Shape along{1, 1, 1, 1};
    along[4 + axis] = side;
    const Tensor place =
        ops::reshape(ops::cast(ops::arange(0, side, 1, DType::float32), dtype), along);
    const Tensor from = ops::reshape(start, {n, 1, 1, 1}),
                 to = ops::reshape(start + length, {n, 1, 1, 1});
    return ops::logical_and(ops::greater_equal(place, from), ops::less(place, to));
  };
  const Tensor across = inside(shares[0], size.width, width_axis());
  const Tensor down = inside(shares[1], size.height, height_axis());
  const std::vector<double>& factor = config.factor.values();
  const Tensor probability = random::uniform({n}, factor[0], factor[1], seeds);
  const Tensor threshold = random::uniform({n}, 0, 1, seeds);
  return {.values = {{"apply_erasing", ops::less(threshold, probability)},
                     {"batch_masks", ops::logical_and(across, down)},
                     {"fill_value", paint(shape, seeds)}},
          .input_shape = shape};
}

Tensor RandomErasingLayer::paint(const Shape& images, SeedGenerator& seeds) const {
  const DType dtype = images_dtype();
  Tensor color;
  if (!config.fill_value) {
    color = random::normal(images, 0, 1, seeds, dtype) * config.value_range[1];
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

Tensor RandomErasingLayer::transform_pixels(const Tensor& images, const Transformation& drawn,
                                            const std::string&) {
  if (drawn.empty()) return images;
  const Tensor erased =
      ops::logical_and(drawn["batch_masks"], ops::expand_dims(drawn["apply_erasing"], {1, 2, 3}));
  return ops::cast(ops::where(erased, drawn["fill_value"], images), images_dtype());
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
