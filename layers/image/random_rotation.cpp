// Images turned.
#include "random_rotation.h"

#include <cmath>
#include <numbers>

#include "../../framework/ops/bounding_boxes.h"
#include "../../framework/ops/image/transform.h"
#include "../../framework/ops/numpy/creation.h"
#include "../../framework/ops/numpy/manipulation.h"
#include "../../framework/ops/operators.h"
#include "../../framework/ops/random/draws.h"
#include "../../framework/ops/random/seed.h"
#include "geometry.h"
#include "sample_changes.h"

namespace cornu::layers {

RandomRotationLayer::RandomRotationLayer(RandomRotationConfig c)
    : ImageLayerOf(std::move(c)), seeds_(add_seed_generator(config.seed)) {
  config.factor = as_numbers(factor_bounds(*config.factor, "factor", -1, 1));
  check_resampling(config.fill_mode, config.interpolation);
}

Transformation RandomRotationLayer::get_random_transformation(const Nest& data, bool training,
                                                              SeedGenerator* given) {
  if (!training) return {};
  const Shape& shape = images_of(data).shape();
  const std::vector<double>& factor = (*config.factor).values();
  const Tensor angle =
      random::uniform({batch_of(data)}, factor[0] * 360, factor[1] * 360, given ? *given : seeds_);
  const Tensor zero = ops::zeros_like(angle), one = ops::ones_like(angle);
  Tensor matrix = affine_matrix(0.5, 0.5, angle, zero, zero, one, zero, zero,
                                size_of(shape, images_channels_first()));
  if (shape.rank() == 3) matrix = ops::squeeze(matrix, 0);
  return {.values = {{"angle", angle}, {"rotation_matrix", matrix}}, .input_shape = shape};
}

Tensor RandomRotationLayer::transform_pixels(const Tensor& images, const Transformation& drawn,
                                             const std::string& interpolation) {
  if (drawn.empty()) return images;
  return ops::affine_transform(images, drawn["rotation_matrix"], interpolation, config.fill_mode,
                               config.fill_value, config.data_format);
}

Nest RandomRotationLayer::transform_bounding_boxes(const Nest& given, const Transformation& drawn,
                                                   bool training) {
  if (!training) return given;
  const ImageSize size = size_of(drawn.input_shape, images_channels_first());
  const Tensor& angle = drawn["angle"];
  const Tensor zero = ops::zeros_like(angle), one = ops::ones_like(angle);
  const Tensor turned = ops::transform_boxes(given["boxes"].tensor(), angle, zero, zero, one, zero,
                                             zero, size.rows(), size.columns());
  const Nest inside =
      ops::clip_to_image_size(with_entry(given, "boxes", turned), size.rows(), size.columns());
  return ops::convert_boxes(inside, "xyxy", *boxes_format(), size.rows(), size.columns());
}

void RandomRotationLayer::augment(data::Sample& sample, data::Draws& draws) const {
  const double angle = 2 * std::numbers::pi * drawn(*config.factor, draws);
  const int64_t height = height_of(sample), width = width_of(sample);
  const double c = std::cos(angle), s = std::sin(angle), x = static_cast<double>(width - 1) / 2,
               y = static_cast<double>(height - 1) / 2;
  data::apply(sample,
              data::warped({c, -s, x - c * x + s * y, s, c, y - s * x - c * y, 0, 0, 1}, height,
                           width, {config.interpolation, config.fill_mode, config.fill_value}),
              draws);
}

void register_random_rotation(Catalog& c) {
  c.add<RandomRotationLayer>("keras.layers.RandomRotation");
}

}  // namespace cornu::layers

template class cornu::LayerOf<cornu::layers::RandomRotationLayer,
                              cornu::layers::RandomRotationConfig>;
