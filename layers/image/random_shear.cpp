// Images slanted.
#include "random_shear.h"

#include <cmath>

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/core/cast.h"
#include "../../framework/ops/elementwise.h"
#include "../../framework/ops/image/transform.h"
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

RandomShearLayer::RandomShearLayer(RandomShearConfig c)
    : ImageLayerOf(std::move(c)),
      seeds_(add_seed_generator(config.seed)),
      x_(strict_factor_bounds(config.x_factor, "x_factor", 0, 1)),
      y_(strict_factor_bounds(config.y_factor, "y_factor", 0, 1)) {
  check_resampling(config.fill_mode, config.interpolation);
}

std::shared_ptr<RandomShearLayer> RandomShearLayer::from_config(const Value::Dict& dict) {
  Value::Dict given = dict;
  for (auto& [key, value] : given) {
    if (key != "x_factor" && key != "y_factor") continue;
    const auto numbers = detail::OptionCodec<Numbers>::decode(value).values();
    if (numbers.size() == 2 && numbers[1] >= 0 && numbers[0] == -numbers[1]) value = numbers[1];
  }
  return ImageLayerOf::from_config(given);
}

Transformation RandomShearLayer::get_random_transformation(const Nest& data, bool training,
                                                           SeedGenerator* given) {
  if (!training) return {};
  SeedGenerator& seeds = given ? *given : seeds_;
  const Shape one{batch_of(data), 1};
  const DType dtype = images_dtype();
  const Tensor side = random::uniform(one, 0, 1, seeds, dtype);
  const Tensor y = random::uniform(one, y_.first, y_.second, seeds, dtype);
  const Tensor x = random::uniform(one, x_.first, x_.second, seeds, dtype);
  const Tensor sign = ops::where(ops::greater(side, 0.5), -1.0, 1.0);
  return {.values = {{"shear_factor", ops::cast(ops::concatenate({x, y}, 1) * sign, dtype)}},
          .input_shape = images_of(data).shape()};
}

Tensor RandomShearLayer::transform_pixels(const Tensor& images, const Transformation& drawn,
                                          const std::string& interpolation) {
  if (drawn.empty()) return images;
  const auto shear = ops::split(ops::cast(drawn["shear_factor"], DType::float32), 2, 1);
  const Tensor one = ops::ones_like(shear[0]), zero = ops::zeros_like(shear[0]);
  const Tensor matrix = ops::concatenate({one, shear[0], zero, shear[1], one, zero, zero, zero}, 1);
  return on_batch(images, [&](const Tensor& x) {
    return ops::affine_transform(x, matrix, interpolation, config.fill_mode, config.fill_value,
                                 config.data_format);
  });
}

Nest RandomShearLayer::transform_bounding_boxes(const Nest& given, const Transformation& drawn,
                                                bool training) {
  if (!training) return given;
  const ImageSize size = size_of(drawn.input_shape, images_channels_first());
  const DType dtype = images_dtype();
  Nest boxes =
      ops::convert_boxes(given, *boxes_format(), "rel_xyxy", size.rows(), size.columns(), dtype);
  // (n, 1, 1) each, for boxes (n, boxes, 1).
  const auto shear =
      ops::split(ops::expand_dims(ops::cast(drawn["shear_factor"], dtype), {1}), 2, -1);
  const Tensor& sx = shear[0];
  const Tensor& sy = shear[1];
  const Tensor slanted = map_sides(boxes["boxes"].tensor(), [&](const Sides& p) -> Sides {
    const Tensor left = ops::where(ops::less(sx, 0), p[0] - sx * p[1], p[0] - sx * p[3]);
    const Tensor right = ops::where(ops::less(sx, 0), p[2] - sx * p[3], p[2] - sx * p[1]);
    const Tensor top = ops::where(ops::greater(sy, 0), p[1] - sy * right, p[1] - sy * left);
    const Tensor bottom = ops::where(ops::greater(sy, 0), p[3] - sy * left, p[3] - sy * right);
    return {left, top, right, bottom};
  });
  boxes = ops::clip_to_image_size(with_entry(boxes, "boxes", slanted), size.rows(), size.columns(),
                                  "rel_xyxy");
  return ops::convert_boxes(boxes, "rel_xyxy", *boxes_format(), size.rows(), size.columns(), dtype);
}

void RandomShearLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const double sign = draws.happens(0.5) ? -1 : 1;
  const double y = sign * draws.uniform(y_.first, y_.second),
               x = sign * draws.uniform(x_.first, x_.second);
  // Shears of both axes that undo each other leave nothing to see; Keras's factors go that far.
  if (std::abs(1 - x * y) < 1e-3) return;
  data::apply(sample,
              data::warped({1, x, 0, y, 1, 0, 0, 0, 1}, height_of(sample), width_of(sample),
                           {config.interpolation, config.fill_mode, config.fill_value}),
              draws);
}

void register_random_shear(Catalog& c) { c.add<RandomShearLayer>("keras.layers.RandomShear"); }

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomShearLayer, cornu::layers::RandomShearConfig>;
